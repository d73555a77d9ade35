import { english } from "../english/index.ts";
import type { Words } from "../words.ts";

/** A language that nobody speaks: every text of it is that of English between these marks. */
export const marks = ["⟦", "⟧"] as const;

/** All of it. */
export const invented = marked(english) as Words;

function marked(entry: unknown): unknown {
  if (typeof entry === "string") return `${marks[0]}${entry}${marks[1]}`;
  if (typeof entry === "function") return (...given: readonly unknown[]) => marked(entry(...given));
  if (Array.isArray(entry)) return [marks[0], ...entry, marks[1]];
  if (typeof entry !== "object" || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).map(([name, one]) => [name, marked(one)]));
}
