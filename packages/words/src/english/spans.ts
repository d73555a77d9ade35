import type { Conversation } from "@talaria/protocol";
import { codeOf } from "../marks.ts";

/** Times, counts and places inside of other texts. */
export const spans = { inWords, counted, placeName };

/** Rounded up, in the largest unit that fits: `40 seconds`, `12 minutes`, `5 hours`, `30 days`. */
export function inWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  const hours = Math.ceil(minutes / 60);
  if (minutes < 120) return counted(minutes, "minute");
  return hours < 48 ? counted(hours, "hour") : counted(Math.ceil(hours / 24), "day");
}

export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Rounded down, in the largest unit that fits: `1 hour`, `24 hours`, `3 days`. */
export function atLeast(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours > 48) return counted(Math.floor(hours / 24), "day");
  return hours >= 1 ? counted(Math.floor(hours), "hour") : counted(Math.max(1, Math.floor(ms / 60_000)), "minute");
}

/** As people know it. */
export function placeName({ title, kind, conversationId, accountId }: Conversation): string {
  const name = title === undefined || title.trim() === "" ? undefined : codeOf(title);
  const place = kind === "direct" ? "a direct conversation" : codeOf(conversationId);
  return `${name ?? place} on ${codeOf(accountId)}`;
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `a`, `a and b`, `a, b and c`. */
export function inOne(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** Below a call of which so many characters are not shown. Without its number nobody can see them. */
export function cutNote(leftOut: number, id: string | undefined): string {
  const remedy = id === undefined ? "" : ` \`/approvals ${id}\` shows all.`;
  return `[Cut: ${leftOut.toLocaleString("en")} characters are not shown.${remedy}]`;
}
