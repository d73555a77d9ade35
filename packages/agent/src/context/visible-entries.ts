import type { ToolResultEntry, TranscriptEntry } from "../journal.ts";
import { fileIdOf } from "../media.ts";
import type { CheckpointEntry, ClearedEntry, KeptWords } from "./context-entries.ts";
import { fitEntry } from "./fit-entry.ts";

/**
 * What the model is shown of a transcript, in the order in which it is shown: the newest checkpoint, the entries that it keeps, and all
 * that came after it, with the results left out that were cleared. The same entries always give the same, and further ones only add to
 * the end unless a `cleared` or a `checkpoint` is among them.
 */
export function visibleEntries(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const cleared = withoutCleared(entries);
  const at = cleared.findLastIndex(({ kind }) => kind === "checkpoint");
  const checkpoint = cleared[at];
  if (checkpoint?.kind !== "checkpoint") return cleared;
  return [checkpoint, ...keptBy(checkpoint, cleared.slice(0, at), entries.slice(0, at)), ...cleared.slice(at + 1)];
}

/** A result as it was before something of it was left out here. */
export function writtenAs(result: ToolResultEntry): ToolResultEntry {
  return shortenedFrom.get(result) ?? result;
}

const shortenedFrom = new WeakMap<TranscriptEntry, ToolResultEntry>();

/** `written`: the same entries with their words as they were. */
function keptBy(
  { keeps, keptTokens, words = [] }: CheckpointEntry,
  before: readonly TranscriptEntry[],
  written: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const first = Math.max(0, before.length - keeps);
  const shown = before.slice(first).map((entry, index) => {
    const own = written[first + index] ?? entry;
    const named = words.find(({ place, chars }) => place === before.length - first - index && chars === charsSaid(own));
    if (named !== undefined) return wordsShown(own, named);
    return keptTokens === undefined ? entry : fitKept(entry, keptTokens);
  });
  return shown.filter(({ kind }) => kind !== "checkpoint");
}

/** What was measured once is known by its object. */
const knownWords = new WeakMap<KeptWords, { readonly entry: TranscriptEntry; readonly shown: TranscriptEntry }>();

function wordsShown(entry: TranscriptEntry, words: KeptWords): TranscriptEntry {
  const known = knownWords.get(words);
  if (known?.entry === entry) return known.shown;
  const shown = words.tokens === undefined ? entry : fitEntry(entry, words.tokens, words.whole);
  knownWords.set(words, { entry, shown });
  return shown;
}

/** Undefined: nobody's words. */
export function charsSaid(entry: TranscriptEntry): number | undefined {
  return entry.kind === "user" || entry.kind === "overheard" ? entry.markdown.length : undefined;
}

function fitKept(entry: TranscriptEntry, keptTokens: number): TranscriptEntry {
  const fitted = fitEntry(entry, keptTokens);
  if (entry.kind === "tool.result" && fitted !== entry) shortenedFrom.set(fitted, shortenedFrom.get(entry) ?? entry);
  return fitted;
}

function withoutCleared(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const shown = [...entries];
  for (const [index, entry] of entries.entries()) if (entry.kind === "cleared") clear(shown, entries, index, entry);
  return shown;
}

/** Looked for from the newest on, since ids of calls are unique within one turn only. */
function clear(
  entries: TranscriptEntry[],
  written: readonly TranscriptEntry[],
  index: number,
  { keeps, results, whole, words = [] }: ClearedEntry,
): void {
  for (const one of words) {
    const own = written[index - one.place];
    if (own !== undefined && charsSaid(own) === one.chars) entries[index - one.place] = wordsShown(own, one);
  }
  const left = [...results];
  for (let place = index - keeps - 1; place >= 0 && left.length > 0; place -= 1) {
    const entry = entries[place];
    const last = left.at(-1);
    if (entry?.kind !== "tool.result" || last === undefined) continue;
    if (entry.callId !== last.callId || entry.content.length !== last.chars) continue;
    left.pop();
    entries[place] = clearedResult(entry, last, whole);
  }
}

/** What was measured once is known by its object. */
const clearedResults = new WeakMap<ToolResultEntry, ToolResultEntry>();

function clearedResult(
  entry: ToolResultEntry,
  { chars, start }: ClearedEntry["results"][number],
  whole: ClearedEntry["whole"],
): ToolResultEntry {
  const id = whole && fileIdOf(whole.ref);
  const where =
    id === undefined || start === undefined ? "" : `; read_attachment gives them: file ${id} from byte ${start} on`;
  const content = `[${chars} characters were left out to make room${where}]`;
  const known = clearedResults.get(entry);
  if (known?.content === content) return known;
  const result = { ...entry, content };
  clearedResults.set(entry, result);
  shortenedFrom.set(result, entry);
  return result;
}
