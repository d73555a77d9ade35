import { type Derived, type Instant, joinAskers, joinDerived, type Platform } from "@talaria/protocol";
import { hasUsedIndex } from "../choose-tools.ts";
import type { TranscriptEntry } from "../journal.ts";
import { filesOf, type MediaAccess } from "../media.ts";
import { askersIn } from "../turn-journal.ts";
import { oneLine } from "../untrusted-text.ts";
import type { Notes } from "./ask-for-notes.ts";
import type { CheckpointEntry, ClearedEntry, CompressionReason, KnownMedia } from "./context-entries.ts";
import { compressionsIn } from "./context-report.ts";
import { keepText } from "./keep-text.ts";
import { stateOf } from "./state-of.ts";
import { tokensOf, tokensOfLines } from "./tokens-of.ts";
import { visibleEntries } from "./visible-entries.ts";
import { textOfEntry } from "./whole-text.ts";

/** How much of the window a request takes afterwards, at most, the harder it is tried. */
const harder = [0.45, 0.3, 0.15] as const;
export const hardest = harder.length;
/** A compression that wins less than this share of the window is none. */
const leastGain = 0.1;
/** Results that are not longer stay. */
const shortResultChars = 400;
/** Of what room there is, what the kept entries may take. */
const keptShare = 0.5;
/** Of less of a text nothing can be understood. */
const leastKeptTokens = 40;
const mostKnown = 100;
const knownShare = 0.15;
const leastKnownTokens = 200;
const mostWhole = 20;

export interface CompressionInput {
  readonly history: readonly TranscriptEntry[];
  readonly journal: readonly TranscriptEntry[];
  readonly fixedTokens: number;
  readonly windowTokens: number;
  /** What a request takes afterwards, at most, where it is not tried harder. */
  readonly lightTokens: number;
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
 * the newest step is. Undefined where nothing can be won. Writes nothing but files that can be read again.
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
  const checkpoint = await makeCheckpoint(input, entries, before, deps);
  const isWorthIt = before - checkpoint.tokens.after >= input.windowTokens * leastGain;
  return isWorthIt || (input.reason !== "full" && checkpoint.tokens.after < before) ? checkpoint : undefined;
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

/** That a result stands in a file takes room, too. */
const tokensOfPlace = 20;
/** Who has said something, and when. */
const tokensOfHeader = 100;

function isPlan({ kind }: { readonly kind: string }): boolean {
  return kind === "planned";
}

async function makeCheckpoint(
  { at, reason, force, fixedTokens, windowTokens, lightTokens, history, journal, platform }: CompressionInput,
  entries: readonly TranscriptEntry[],
  before: number,
  { media, signal, taintOf, audience, notesOn }: CompressionDeps,
): Promise<CheckpointEntry> {
  const share = harder[force - 1];
  const taken = share === undefined ? lightTokens : Math.min(lightTokens, Math.floor(windowTokens * share));
  const room = Math.max(500, taken - fixedTokens);
  const { keeps, keptTokens } = keptOf(journal, Math.floor(room * keptShare));
  const gone = visibleEntries(entries.slice(0, entries.length - keeps));
  const text = gone
    .map((entry) => textOfEntry(entry, platform))
    .filter((one) => one !== "")
    .join("\n");
  const [files, notes] = await Promise.all([keepText(text, media, signal), notesOn?.(text) ?? noNotes]);
  const earlier = gone.find((entry) => entry.kind === "checkpoint");
  const bare: CheckpointEntry = {
    ...{ kind: "checkpoint", at, reason, keeps, nth: compressionsIn(entries) + 1 },
    ...(keeps < journal.length && hasWords(journal.slice(0, journal.length - keeps)) ? { inTurn: true } : {}),
    ...(keptTokens === undefined ? {} : { keptTokens }),
    ...stateOf(gone, 0),
    ...notesOf(notes, earlier),
    whole: [...(earlier?.whole ?? []), ...files].slice(-mostWhole),
    known: knownIn(gone, Math.max(leastKnownTokens, room * knownShare)),
    ...(hasUsedIndex(entries) ? { hasIndex: true } : {}),
    derived: derivedOf([...history, ...journal], taintOf, audience),
    ...(notes.usage === undefined ? {} : { usage: notes.usage }),
    tokens: { before, after: 0 },
  };
  const withoutState = tokensOf(visibleEntries([...entries, bare]));
  const checkpoint = { ...bare, ...stateOf(gone, Math.max(200, room - withoutState)) };
  const after = fixedTokens + tokensOf(visibleEntries([...entries, checkpoint]));
  return { ...checkpoint, tokens: { before, after } };
}

/** The words of a turn that has not begun, or its newest answer with all that came after it: nobody has read that yet. */
function newestStep(journal: readonly TranscriptEntry[]): number {
  return (
    journal.length -
    Math.max(
      0,
      journal.findLastIndex((entry) => entry.kind === "assistant"),
    )
  );
}

/** What of the newest step is shown as it is. What the model wrote can't be shortened: where that is too long, the step is told. */
function keptOf(
  journal: readonly TranscriptEntry[],
  room: number,
): { readonly keeps: number; readonly keptTokens?: number } {
  const keeps = newestStep(journal);
  const kept = journal.slice(journal.length - keeps);
  if (tokensOf(kept) <= room) return { keeps };
  const texts = kept.filter(({ kind }) => kind === "tool.result" || kind === "user" || kind === "overheard");
  const around = texts.reduce((sum, { kind }) => sum + (kind === "tool.result" ? tokensOfPlace : tokensOfHeader), 0);
  const own = tokensOf(kept.filter((entry) => !texts.includes(entry)));
  const each = shareOf(
    texts.map((entry) => tokensOf([entry])),
    room - own - around,
  );
  return each < leastKeptTokens ? { keeps: 0 } : { keeps, keptTokens: each };
}

/** What each of such sizes may have, so that all of them fit: what the short ones leave is for the long ones. */
function shareOf(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = sizes.toSorted((one, other) => one - other);
  for (const [index, size] of ascending.entries()) {
    const each = Math.floor(left / (ascending.length - index));
    if (size > each) return each;
    left -= size;
  }
  return Math.max(0, left);
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
  const first = files.findLastIndex(({ name, mimeType }) => {
    left -= name === undefined ? 0 : tokensOfLines([oneLine(name), oneLine(mimeType)]) + tokensOfPlace;
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
