import type { TranscriptEntry } from "../journal.ts";
import type { KeptWords } from "./context-entries.ts";
import { tokensOf } from "./tokens-of.ts";
import { charsSaid } from "./visible-entries.ts";

/** Of less of a text nothing can be understood, nor of less of somebody's words with a note that says where they stand whole. */
const leastTokens = { result: 40, words: 120 };
/** What stands around a text: that a result stands in a file, who has said something and when. */
export const tokensOfPlace = 20;
const tokensOfHeader = 100;

/** What of the newest step is shown as it is, and how much of its texts. */
export interface KeptStep {
  readonly keeps: number;
  readonly keptTokens?: number;
  readonly words?: readonly KeptWords[];
}

/** The words of a turn that has not begun, or its newest answer with all that came after it: nobody has read that yet. */
export function newestStep(journal: readonly TranscriptEntry[]): number {
  return (
    journal.length -
    Math.max(
      0,
      journal.findLastIndex((entry) => entry.kind === "assistant"),
    )
  );
}

/**
 * What of the newest step is shown as it is. Words of people stay whole where that takes no more than `mostWithWords`. What the model
 * wrote can't be shortened: where that is too long, the step is told.
 */
export function keptOf(journal: readonly TranscriptEntry[], room: number, mostWithWords: number): KeptStep {
  const keeps = newestStep(journal);
  const kept = journal.slice(journal.length - keeps);
  if (tokensOf(kept) <= room) return { keeps };
  const results = kept.filter(({ kind }) => kind === "tool.result");
  const around = results.length * tokensOfPlace;
  const own = tokensOf(kept) - tokensOf(results);
  if (kept.some(isWords) && own + around + results.length * leastTokens.result <= Math.max(room, mostWithWords)) {
    const sizes = results.map((entry) => tokensOf([entry]));
    const keptTokens = Math.max(leastTokens.result, shareOf(sizes, room - own - around));
    return results.length === 0 ? { keeps } : { keeps, keptTokens, words: namedWords(kept) };
  }
  const words = kept.filter(isWords);
  const texts = [...results, ...words];
  const bare = own - tokensOf(words) + around + words.length * tokensOfHeader;
  const each = shareOf(
    texts.map((entry) => tokensOf([entry])),
    room - bare,
  );
  const least = words.some((entry) => tokensOf([entry]) > each) ? leastTokens.words : leastTokens.result;
  return each < least ? { keeps: 0 } : { keeps, keptTokens: each, words: namedWords(kept, each) };
}

/** The words of a turn that has not begun, so short that they take no more than `room`. Undefined: that is too little for them. */
export function shorterWords(journal: readonly TranscriptEntry[], room: number): readonly KeptWords[] | undefined {
  const words = journal.filter(isWords);
  const others = tokensOf(journal) - tokensOf(words);
  const sizes = words.map((entry) => tokensOf([entry]));
  const each = shareOf(sizes, room - others - words.length * tokensOfHeader);
  if (each < leastTokens.words) return undefined;
  return namedWords(journal, each).filter(
    ({ place }) => tokensOf(journal.slice(-place, journal.length - place + 1)) > each,
  );
}

function isWords(entry: TranscriptEntry): boolean {
  return charsSaid(entry) !== undefined;
}

function namedWords(kept: readonly TranscriptEntry[], tokens?: number): readonly KeptWords[] {
  return kept.flatMap((entry, index) => {
    const chars = charsSaid(entry);
    if (chars === undefined) return [];
    return [{ place: kept.length - index, chars, ...(tokens === undefined ? {} : { tokens }) }];
  });
}

/** What each of such sizes may have, so that all of them fit: what the short ones leave is for the long ones. */
export function shareOf(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = sizes.toSorted((one, other) => one - other);
  for (const [index, size] of ascending.entries()) {
    const each = Math.floor(left / (ascending.length - index));
    if (size > each) return each;
    left -= size;
  }
  return Math.max(0, left);
}
