import type { TranscriptEntry } from "@talaria/agent";

/** What the agent has said in each entry, read once. */
const read = new WeakMap<TranscriptEntry, readonly string[]>();
/** Quotes that were found: a turn asks about each of them at every call. */
const found = new WeakSet<object>();

/**
 * Tells whether a quote holds nothing but what the agent has said in these entries. It must be marked as one of its messages,
 * and its words must be there: whoever quotes can make both up on some platforms, but not the agent's memory.
 */
export function ownWordsIn(
  entries: readonly TranscriptEntry[],
): (quote: { readonly own?: true; readonly markdown?: string }) => boolean {
  return (quote) => {
    if (quote.own !== true) return false;
    if (found.has(quote)) return true;
    const words = lettersOf(quote.markdown ?? "");
    const isSaid = entries.some((entry) => saidIn(entry).some((said) => said.includes(words)));
    if (isSaid) found.add(quote);
    return isSaid;
  };
}

function saidIn(entry: TranscriptEntry): readonly string[] {
  const known = read.get(entry);
  if (known !== undefined) return known;
  const said = textsIn(entry).map(lettersOf);
  read.set(entry, said);
  return said;
}

/** A question to people stands in the arguments of a call. */
function textsIn(entry: TranscriptEntry): readonly string[] {
  if (entry.kind === "checkpoint") return entry.said.flatMap((one) => (one.kind === "replied" ? [one.text] : []));
  if (entry.kind !== "assistant") return [];
  return [entry.content, ...entry.toolCalls.map((call) => call.arguments.replace(/\\[nrt"\\/]/g, " "))];
}

/** Without markup, blanks and line ends, of which platforms give back their own. */
function lettersOf(text: string): string {
  return text.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}]+/gu, "");
}
