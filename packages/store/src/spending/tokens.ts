import type { StoredEntry } from "../ports/turns.ts";

/** More than any model reads and writes for one answer: what a provider counts beyond that is an error of its own. */
const maxTokens = 100_000_000;

/** The tokens that these entries account for, in and out. Entries without usage count nothing. */
export function tokensOf(entries: readonly StoredEntry[]): number {
  return entries.reduce((sum, { usage }) => sum + counted(usage?.inputTokens) + counted(usage?.outputTokens), 0);
}

function counted(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 ? Math.min(maxTokens, Math.ceil(tokens)) : 0;
}
