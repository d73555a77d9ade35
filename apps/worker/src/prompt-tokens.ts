import type { StoredEntry } from "@talaria/store";

const charsPerToken = 4;

/**
 * What the first request of a turn takes, rather too low than too high: nobody should be refused for what is never used. The newest
 * answer says what its request took; what came since, and everything where there is none, is guessed from its length.
 */
export function promptTokens(prompt: string, history: readonly StoredEntry[], journal: readonly StoredEntry[]): number {
  let chars = journal.reduce((sum, entry) => sum + charsIn(entry), 0);
  for (const entry of history.toReversed()) {
    const { kind, usage } = entry;
    if (kind === "assistant" && usage !== undefined && usage.inputTokens > 0)
      return Math.ceil(usage.inputTokens + usage.outputTokens + chars / charsPerToken);
    chars += charsIn(entry);
    if (kind === "checkpoint") break;
  }
  return Math.ceil((prompt.length + chars) / charsPerToken);
}

function charsIn(entry: StoredEntry): number {
  return JSON.stringify(entry).length;
}
