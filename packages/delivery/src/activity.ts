import { escaped } from "./as-it-is.ts";

/** What takes no longer than this is not shown: it would be gone before it is read. */
const shownAfterMs = 5_000;
/** UTF-16 units of the words. */
const maxLength = 120;
const second = 1_000;
const minute = 60 * second;

/** What the turn behind a reply does now, and since when. Without a time: for as long as it takes. */
export interface Activity {
  readonly label: string;
  readonly since?: number;
}

/**
 * One line of Markdown with the time that it has taken so far, roughly. Undefined while it is too young, unless it follows another
 * line.
 */
export function lineOf({ label, since }: Activity, now: number, follows: boolean): string | undefined {
  const words = label.replaceAll(/\s+/g, " ").trim();
  const forMs = since === undefined ? 0 : now - since;
  if (words === "" || (forMs < shownAfterMs && !follows)) return undefined;
  const short = words.length > maxLength ? `${words.slice(0, maxLength - 1).toWellFormed()}…` : words;
  const time = timeOf(forMs);
  return `_⏳ ${escaped(short)}${time === "" ? "" : `, ${time}`}_`;
}

/** Milliseconds until its line says something else. */
export function changesInMs({ since }: Activity, now: number): number {
  if (since === undefined) return Number.POSITIVE_INFINITY;
  const forMs = now - since;
  if (forMs < shownAfterMs) return shownAfterMs - forMs;
  return stepOf(forMs) - (forMs % stepOf(forMs));
}

/** Each change is an edit that people pay for with their connection, and we with our pace. */
function stepOf(forMs: number): number {
  if (forMs < minute) return 20 * second;
  return forMs < 10 * minute ? minute : 5 * minute;
}

function timeOf(forMs: number): string {
  const step = stepOf(forMs);
  const rounded = forMs - (forMs % step);
  if (rounded === 0) return "";
  return rounded < minute ? `${rounded / second} s` : `${rounded / minute} min`;
}
