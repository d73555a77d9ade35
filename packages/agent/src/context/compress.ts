import { type Derived, type Instant, joinAskers, joinDerived, type Platform } from "@talaria/protocol";
import { hasUsedIndex } from "../choose-tools.ts";
import type { TranscriptEntry } from "../journal.ts";
import { eachOnce, type KeptMedia } from "../kept-media.ts";
import { filesOf, type MediaAccess } from "../media.ts";
import { askersIn } from "../turn-journal.ts";
import { oneLine } from "../untrusted-text.ts";
import type { Notes } from "./ask-for-notes.ts";
import type {
  CheckpointEntry,
  CheckpointState,
  ClearedEntry,
  CompressionReason,
  KnownMedia,
  SaidEntry,
} from "./context-entries.ts";
import { compressionsIn } from "./context-report.ts";
import { keepText } from "./keep-text.ts";
import { keepWords, wholePlaces } from "./keep-words.ts";
import { keptOf, newestStep, shorterWords, tokensOfPlace } from "./kept-step.ts";
import { shownName } from "./render-checkpoint.ts";
import { stateOf } from "./state-of.ts";
import { tokensOf, tokensOfLines } from "./tokens-of.ts";
import { visibleEntries } from "./visible-entries.ts";
import { textOfEntry } from "./whole-text.ts";

/** How much of the window a request takes afterwards, at most, the harder it is tried. */
const harder = [0.45, 0.3, 0.15] as const;
export const hardest = harder.length;
/** How much of a conversation stays that somebody has shortened without need, at least. */
const askedShare = 1 / 3;
/** A compression that wins less than this share of the window is none. */
const leastGain = 0.1;
/** Results that are not longer stay. */
const shortResultChars = 400;
/** Of what room there is, what the kept entries may take. */
const keptShare = 0.5;
/** What a checkpoint takes beside words that stay whole, at most: so many tokens, or this share of the window. */
const leastState = { tokens: 1_200, share: 0.1 };
const mostKnown = 100;
const knownShare = 0.15;
const leastKnownTokens = 200;
const mostWhole = 20;

export interface CompressionInput {
  readonly history: readonly TranscriptEntry[];
  readonly journal: readonly TranscriptEntry[];
  readonly fixedTokens: number;
  /** Tools on demand are found instead of shown. Default: they are shown. */
  readonly hidesOnDemand?: boolean;
  readonly windowTokens: number;
  /** What a request takes afterwards, at most, where it is not tried harder. */
  readonly lightTokens: number;
  /** What an answer may take. Default: a quarter of the window. */
  readonly answerTokens?: number;
  /** What a result may take. Default: an eighth of the window. */
  readonly resultTokens?: number;
  readonly reason: CompressionReason;
  /** From 0 to `hardest`. */
  readonly force: number;
  readonly at: Instant;
  readonly platform: Platform;
}

export interface CompressionDeps {
  readonly media: MediaAccess;
  readonly signal: AbortSignal;
  /** What untrusted content the entries hold. */
  readonly taintOf: (entries: readonly TranscriptEntry[]) => Derived["taint"];
  /** Who may see what is said here. */
  readonly audience: readonly string[];
  /** What a model adds. Never rejects. */
  readonly notesOn?: ((text: string) => Promise<Notes>) | undefined;
}

/**
 * The entry that makes room: long results that were read are left out, and where that is not enough, or is tried harder, everything but
 * the newest step is. Where hardly anything comes before new words that the window can't hold, they are shortened. Undefined where nothing can be won. Writes nothing but files that can be read again.
 */
export async function compress(
  input: CompressionInput,
  deps: CompressionDeps,
): Promise<ClearedEntry | CheckpointEntry | undefined> {
  const entries = [...input.history, ...input.journal];
  const before = input.fixedTokens + tokensOf(visibleEntries(entries));
  if (input.force === 0) {
    const cleared = await clearResults(input, entries, before, deps);
    if (cleared !== undefined) return cleared;
  }
  if (input.reason !== "refused" && isAllNew(input, entries) && before <= mostAsked(input)) return undefined;
  const shortened = await shortenWords(input, entries, before, deps);
  if (shortened !== undefined) return shortened;
  const checkpoint = await makeCheckpoint(input, entries, before, deps);
  const isWorthIt = before - checkpoint.tokens.after >= input.windowTokens * leastGain;
  return isWorthIt || (input.reason !== "full" && checkpoint.tokens.after < before) ? checkpoint : undefined;
}

/** Nothing comes before the words of a turn that has not begun: there is nothing that could be left out. */
function isAllNew({ journal }: CompressionInput, entries: readonly TranscriptEntry[]): boolean {
  return newestStep(journal) === entries.length;
}

/** What a request may take, so that an answer fits behind it. */
function mostAsked({ windowTokens, answerTokens = windowTokens / 4 }: CompressionInput): number {
  return windowTokens - answerTokens;
}

/** For what stands behind prompt and tools. Who asks for it without need keeps a share of what there is, in the smallest window too. */
function roomIn({ force, windowTokens, lightTokens, fixedTokens, reason }: CompressionInput, before: number): number {
  const share = harder[force - 1];
  const taken = share === undefined ? lightTokens : Math.min(lightTokens, Math.floor(windowTokens * share));
  const least = reason === "asked" ? Math.floor((before - fixedTokens) * askedShare) : 0;
  return Math.max(500, least, taken - fixedTokens);
}

/** Undefined where the words of a turn that has not begun are not what fills the window, or there are too many of them. */
async function shortenWords(
  input: CompressionInput,
  entries: readonly TranscriptEntry[],
  before: number,
  { media, signal }: CompressionDeps,
): Promise<ClearedEntry | undefined> {
  const { at, reason, fixedTokens, windowTokens, journal, platform } = input;
  const { resultTokens = windowTokens / 8 } = input;
  if (journal.some(({ kind }) => kind === "assistant")) return undefined;
  if (reason !== "refused" && before <= mostAsked(input)) return undefined;
  const room = roomIn(input, before);
  const earlier = tokensOf(visibleEntries(entries.slice(0, entries.length - journal.length)));
  if (earlier > room * (1 - keptShare)) return undefined;
  const shorter = shorterWords(journal, room - earlier);
  if (shorter === undefined || shorter.length === 0) return undefined;
  const words = await keepWords(shorter, journal, { media, platform, resultTokens, signal });
  const bare: ClearedEntry = {
    ...{ kind: "cleared", at, reason, keeps: 0, nth: compressionsIn(entries) + 1, results: [], words },
    tokens: { before, after: 0 },
  };
  const after = fixedTokens + tokensOf(visibleEntries([...entries, bare]));
  return after > fixedTokens + room || after >= before ? undefined : { ...bare, tokens: { before, after } };
}

/** Undefined where the results alone don't make enough room. */
async function clearResults(
  { at, reason, fixedTokens, windowTokens, lightTokens, journal, platform }: CompressionInput,
  entries: readonly TranscriptEntry[],
  before: number,
  { media, signal }: CompressionDeps,
): Promise<ClearedEntry | undefined> {
  const keeps = newestStep(journal);
  const visible = visibleEntries(entries);
  const shown = new Set(visible);
  const planned = visible.findLast((entry) => entry.kind === "tool.result" && entry.did?.some(isPlan));
  const long = entries.slice(0, entries.length - keeps).filter((entry) => {
    if (entry.kind !== "tool.result" || !shown.has(entry) || entry === planned) return false;
    return entry.content.length > shortResultChars;
  });
  if (long.length === 0) return undefined;
  const bare: ClearedEntry = {
    ...{ kind: "cleared", at, reason, keeps, nth: compressionsIn(entries) + 1, tokens: { before, after: 0 } },
    results: long.flatMap((entry) =>
      entry.kind === "tool.result" ? [{ callId: entry.callId, chars: entry.content.length, start: 0 }] : [],
    ),
  };
  const after = fixedTokens + tokensOf(visibleEntries([...entries, bare])) + long.length * tokensOfPlace;
  if (after > lightTokens || before - after < windowTokens * leastGain) return undefined;
  const texts = long.map((entry) => textOfEntry(entry, platform));
  const [whole, ...rest] = await keepText(texts.join("\n"), media, signal);
  const isOne = whole !== undefined && rest.length === 0;
  let start = 0;
  const results = bare.results.map(({ callId, chars }, index) => {
    const place = { callId, chars, ...(isOne ? { start } : {}) };
    start += Buffer.byteLength(texts[index] ?? "") + 1;
    return place;
  });
  return { ...bare, results, ...(isOne ? { whole } : {}), tokens: { before, after } };
}

function isPlan({ kind }: { readonly kind: string }): boolean {
  return kind === "planned";
}

async function makeCheckpoint(
  input: CompressionInput,
  entries: readonly TranscriptEntry[],
  before: number,
  { media, signal, taintOf, audience, notesOn }: CompressionDeps,
): Promise<CheckpointEntry> {
  const { at, reason, fixedTokens, windowTokens, history, journal, platform } = input;
  const { resultTokens = windowTokens / 8 } = input;
  const room = roomIn(input, before);
  const state = Math.min(leastState.tokens, windowTokens * leastState.share);
  const mostWithWords = reason === "refused" ? 0 : mostAsked(input) - fixedTokens - state;
  const kept = isAllNew(input, entries) ? { keeps: 0 } : keptOf(journal, Math.floor(room * keptShare), mostWithWords);
  const { keeps, words: shown = [], ...more } = kept;
  const gone = visibleEntries(entries.slice(0, entries.length - keeps));
  const texts = gone.flatMap((entry) => textsOf(entry, platform));
  const text = texts.map((one) => one.text).join("\n");
  const [files, notes, words] = await Promise.all([
    keepText(text, media, signal),
    (text === "" ? undefined : notesOn?.(text)) ?? noNotes,
    keepWords(shown, entries, { media, platform, resultTokens, signal }),
  ]);
  const places = wholePlaces(texts, files, resultTokens);
  const stateIn = (tokens: number) => stateOf(gone, tokens, (entry) => places.get(entry));
  const least = stateIn(0);
  const earlier = gone.find((entry) => entry.kind === "checkpoint");
  const bare: CheckpointEntry = {
    ...{ kind: "checkpoint", at, reason, keeps, nth: compressionsIn(entries) + 1 },
    ...(keeps < journal.length && hasWords(journal.slice(0, journal.length - keeps)) ? { inTurn: true } : {}),
    ...more,
    ...(words.length === 0 ? {} : { words }),
    ...least,
    ...notesOf(notes, earlier),
    whole: eachOnce([...(earlier?.whole ?? []), ...files]).slice(-mostWhole),
    ...wordsIn(gone, least, files),
    known: knownIn(gone, Math.max(leastKnownTokens, room * knownShare)),
    ...(input.hidesOnDemand === true && hasUsedIndex(entries) ? { hasIndex: true } : {}),
    derived: derivedOf([...history, ...journal], taintOf, audience),
    ...(notes.usage === undefined ? {} : { usage: notes.usage }),
    tokens: { before, after: 0 },
  };
  const withoutState = tokensOf(visibleEntries([...entries, bare]));
  const { wordsIn: _, ...others } = bare;
  const made = stateIn(Math.max(200, room - withoutState));
  const checkpoint = { ...others, ...made, ...wordsIn(gone, made, files) };
  const after = fixedTokens + tokensOf(visibleEntries([...entries, checkpoint]));
  return { ...checkpoint, tokens: { before, after } };
}

/** What goes into the file, with whose words it is. Those of an earlier checkpoint go on in it, since some may have no room any more. */
function textsOf(entry: TranscriptEntry, platform: Platform): readonly { entry: object; text: string }[] {
  const said = entry.kind === "checkpoint" ? entry.said.filter((one) => one.kind !== "replied") : [];
  return [entry, ...said]
    .map((one) => ({ entry: one, text: textOfEntry(one, platform) }))
    .filter(({ text }) => text !== "");
}

/** The files of the words that are left out, now or before: all that were not left out before stand in the newest ones. */
function wordsIn(
  gone: readonly TranscriptEntry[],
  { said, leftOut }: CheckpointState,
  files: readonly KeptMedia[],
): Pick<CheckpointEntry, "wordsIn"> {
  const earlier = gone.find((entry) => entry.kind === "checkpoint");
  const leftOutBefore = earlier?.leftOut.said ?? 0;
  if (leftOut.said === 0) return {};
  const before = leftOutBefore === 0 ? [] : (earlier?.wordsIn ?? earlier?.whole ?? []);
  const here = new Set(wholesOf(said).map(({ ref }) => ref));
  const own = wholesOf([...(earlier?.said ?? []), ...gone]).filter(({ ref }) => !here.has(ref));
  const all = eachOnce([...before, ...own, ...(leftOut.said > leftOutBefore ? files : [])]);
  return { wordsIn: all.slice(-mostWhole) };
}

function wholesOf(entries: readonly (TranscriptEntry | SaidEntry)[]): readonly KeptMedia[] {
  return entries.flatMap((one) => (one.kind === "user" || one.kind === "overheard" ? (one.whole?.files ?? []) : []));
}

function hasWords(entries: readonly TranscriptEntry[]): boolean {
  return entries.some(({ kind }) => kind === "user" || kind === "call.settled");
}

const noNotes: Notes = {};

function notesOf({ text }: Notes, earlier: CheckpointEntry | undefined): Pick<CheckpointEntry, "notes"> {
  const notes = text ?? earlier?.notes;
  return notes === undefined ? {} : { notes };
}

/** The newest files, as far as there is room to name them. */
function knownIn(entries: readonly TranscriptEntry[], room: number): readonly KnownMedia[] {
  const whole = new Set(
    entries.flatMap((entry) => (entry.kind === "checkpoint" ? entry.whole : [])).map(({ ref }) => ref),
  );
  const files = filesOf(entries)
    .filter(({ ref }) => !whole.has(ref))
    .map(({ id: _, ...file }) => file)
    .slice(-mostKnown);
  let left = room;
  const first = files.findLastIndex((file) => {
    const name = shownName(file);
    left -= name === undefined ? 0 : tokensOfLines([name, oneLine(file.mimeType)]) + tokensOfPlace;
    return left < 0;
  });
  return files.slice(first + 1);
}

/** Of everything that was ever said here: what a checkpoint stands for, and what is still shown. */
function derivedOf(
  entries: readonly TranscriptEntry[],
  taintOf: CompressionDeps["taintOf"],
  audience: readonly string[],
): Derived {
  const own: Derived = { taint: taintOf(entries), askers: joinAskers(entries.flatMap(askersIn)), audience };
  return entries
    .flatMap((entry) => (entry.kind === "checkpoint" ? [entry.derived] : []))
    .reduce((derived, earlier) => joinDerived(earlier, derived), own);
}
