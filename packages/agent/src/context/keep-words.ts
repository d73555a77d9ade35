import type { Platform } from "@talaria/protocol";
import type { WholeWords } from "../entries-of-people.ts";
import type { TranscriptEntry } from "../journal.ts";
import type { KeptMedia } from "../kept-media.ts";
import type { MediaAccess } from "../media.ts";
import type { KeptWords } from "./context-entries.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { fitEntry } from "./fit-entry.ts";
import { keepText } from "./keep-text.ts";
import { textOfEntry, wordsOf } from "./whole-text.ts";

/** No tool gives more of a file at once. */
const mostPieceBytes = 16_000;
/** Of what a result may take, what a piece of a file takes without the words around it. */
const pieceShare = 0.8;
const sampleChars = 20_000;

export interface KeepWordsDeps {
  readonly media: Pick<MediaAccess, "put">;
  readonly platform: Platform;
  /** What a result may take. */
  readonly resultTokens: number;
  readonly signal: AbortSignal;
}

/**
 * The words with where they stand whole, where only a part of them is shown: all of one compression in one text, that is a file, or a
 * few if it is very long. `entries`: those before the entry that will name them. Never rejects.
 */
export async function keepWords(
  words: readonly KeptWords[],
  entries: readonly TranscriptEntry[],
  { media, platform, resultTokens, signal }: KeepWordsDeps,
): Promise<readonly KeptWords[]> {
  const cut = words.flatMap((one) => {
    const entry = entries[entries.length - one.place];
    if (entry?.kind !== "user" && entry?.kind !== "overheard") return [];
    return one.tokens === undefined || fitEntry(entry, one.tokens) === entry ? [] : [{ one, entry }];
  });
  const texts = cut.map(({ entry }) => (cut.length === 1 ? wordsOf(entry) : textOfEntry(entry, platform)));
  const text = texts.join("\n");
  const files = await keepText(text, media, signal);
  if (files.length === 0) return words;
  const places = wholePlaces(
    cut.map(({ entry }, index) => ({ entry, text: texts[index] ?? "" })),
    files,
    resultTokens,
  );
  const found = new Map(cut.map(({ one, entry }) => [one, places.get(entry)] as const));
  return words.map((one) => {
    const whole = found.get(one);
    return whole === undefined ? one : { ...one, whole };
  });
}

/** Where each text of a joined one stands in its files: texts are joined by line breaks. */
export function wholePlaces<Entry extends object>(
  texts: readonly { readonly entry: Entry; readonly text: string }[],
  files: readonly KeptMedia[],
  resultTokens: number,
): ReadonlyMap<Entry, WholeWords> {
  const places = new Map<Entry, WholeWords>();
  if (files.length === 0) return places;
  let start = 0;
  for (const { entry, text } of texts) {
    const pieceBytes = pieceOf(text, resultTokens);
    places.set(entry, { files, ...(files.length === 1 && start > 0 ? { start } : {}), pieceBytes });
    start += Buffer.byteLength(text) + 1;
  }
  return places;
}

function pieceOf(text: string, resultTokens: number): number {
  const sample = text.slice(0, sampleChars);
  const bytesPerToken = Buffer.byteLength(sample) / Math.max(1, estimateTokens(sample));
  return Math.max(1, Math.min(mostPieceBytes, Math.floor(resultTokens * pieceShare * bytesPerToken)));
}
