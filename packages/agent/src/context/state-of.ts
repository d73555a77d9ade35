import type { WaitsFor } from "@talaria/protocol";
import type { EntryAttachment, OverheardEntry, UserEntry, WholeWords } from "../entries-of-people.ts";
import type { TranscriptEntry } from "../journal.ts";
import type { ToolCall } from "../model.ts";
import { cutEnd } from "../text.ts";
import { escapedText, oneLine } from "../untrusted-text.ts";
import { type CallWithEnd, callsIn, isSettledBy } from "./calls-in.ts";
import type { CheckpointState, OpenCall, SaidEntry } from "./context-entries.ts";
import type { Did } from "./did.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { fitText, fitWords } from "./fit-entry.ts";
import { tokensOfLines, tokensOfSaid } from "./tokens-of.ts";
import { charsOf } from "./visible-entries.ts";

/** How the room is shared out: what is not used goes to those below. */
const shares = { plan: 0.2, open: 0.2, said: 0.5, files: 0.3, commands: 0.4, calls: 1 };
/** One text takes at most this share of the room for all, and an answer of the agent so many tokens. */
const longestShare = 0.6;
const mostReplyTokens = 300;
/** What is answered, what was answered last, the plan, and the newest calls have so many in any case. */
const leastTokens = { asked: 400, replied: 100, plan: 150, calls: 150 };
/** What stands around a text: who has said it, and when; whether a file was changed, and its digest. */
const tokensAround = { words: 100, reply: 14, file: 12 };
const chars = { arguments: 160, error: 120, command: 400, path: 300 };

/**
 * What is known of the work when these entries are no longer shown, in at most about `tokens` tokens: the same entries give the same
 * bytes. `entries` may begin with an earlier checkpoint, whose state goes on in this one. Words that are shortened say where they stand.
 */
export function stateOf(
  entries: readonly TranscriptEntry[],
  tokens: number,
  wholeOf: WholeOf = () => undefined,
): CheckpointState {
  let room = tokens;
  const within = (share: number) => Math.max(0, Math.floor(room * share));
  const take = <Kept extends Selection<unknown>>(kept: Kept): Kept => {
    room -= kept.tokens;
    return kept;
  };
  const since = callsIn(entries);
  const { did, calls } = workIn(entries, since);
  const plan = planIn(did, Math.max(leastTokens.plan, within(shares.plan)));
  room -= estimateTokens(plan ?? "");
  const { calls: waiting, unshown } = openIn(entries, since);
  const open = take(newest(waiting, within(shares.open), ({ shown }) => tokensOfLines([shown])));
  const said = take(newestSaid(entries, within(shares.said), wholeOf));
  const files = take(newestFiles(filesIn(did), within(shares.files)));
  const commands = take(
    newest(commandsIn(did), within(shares.commands), (one) => tokensOfLines([one.command, one.end])),
  );
  const lines = take(newest(calls, Math.max(leastTokens.calls, within(shares.calls)), (line) => tokensOfLines([line])));
  const before = earlier(entries);
  const notShown = open.dropped + unshown;
  return {
    said: said.kept,
    ...(plan === undefined ? {} : { plan }),
    files: files.kept,
    commands: commands.kept,
    open: open.kept,
    calls: lines.kept,
    leftOut: {
      said: said.dropped + before.said,
      files: files.dropped + before.files,
      commands: commands.dropped + before.commands,
      calls: lines.dropped + before.calls,
      ...(notShown === 0 ? {} : { open: notShown }),
    },
  };
}

/** Where a text stands whole. */
export type WholeOf = (entry: UserEntry | OverheardEntry) => WholeWords | undefined;

interface Selection<Kept> {
  readonly kept: readonly Kept[];
  readonly dropped: number;
  readonly tokens: number;
}

/** The newest that have room, oldest first. */
function newest<One>(all: readonly One[], room: number, tokensOf: (one: One) => number): Selection<One> {
  let taken = 0;
  let first = all.length;
  for (; first > 0; first -= 1) {
    const tokens = tokensOf(all[first - 1] as One);
    if (taken + tokens > room) break;
    taken += tokens;
  }
  return { kept: all.slice(first), dropped: first, tokens: taken };
}

/** What was changed stays rather than what was only read. */
function newestFiles(all: CheckpointState["files"], room: number): Selection<CheckpointState["files"][number]> {
  const tokensOfFile = ({ path }: { readonly path: string }) => tokensOfLines([path]) + tokensAround.file;
  const changed = newest(
    all.filter(({ kind }) => kind === "changed"),
    room,
    tokensOfFile,
  );
  const left = changed.dropped > 0 ? 0 : room - changed.tokens;
  const read = newest(
    all.filter(({ kind }) => kind === "read"),
    left,
    tokensOfFile,
  );
  const shown = new Set([...changed.kept, ...read.kept]);
  const tokens = changed.tokens + read.tokens;
  return { kept: all.filter((one) => shown.has(one)), dropped: changed.dropped + read.dropped, tokens };
}

/**
 * The newest words of somebody who asks, and the newest answer, always stand there, even where there is no room: they are what the work
 * is about, and what is done of it.
 */
function newestSaid(entries: readonly TranscriptEntry[], room: number, wholeOf: WholeOf): Selection<SaidEntry> {
  const most = Math.floor(room * longestShare);
  const said = saidIn(entries);
  const asked = said.findLastIndex(({ kind }) => kind === "user");
  const replied = said.findLastIndex(({ kind }) => kind === "replied");
  const least = (index: number) => (index === asked ? leastTokens.asked : index === replied ? leastTokens.replied : 0);
  const all = said.map((one, index) => fitSaid(one, Math.max(most, least(index)), wholeOf));
  const isFixed = (index: number) => index === asked || index === replied;
  const others = (from: number, to?: number) => all.slice(from, to).filter((_, index) => !isFixed(from + index));
  const fixed = all.filter((_, index) => isFixed(index)).reduce((sum, one) => sum + tokensOfSaid(one), 0);
  const emptied = new Set(all.filter((one, index) => textOf(one) === "" && textOf(said[index]) !== ""));
  const tokensOfOne = (one: SaidEntry) => (emptied.has(one) ? Number.POSITIVE_INFINITY : tokensOfSaid(one));
  const since = newest(others(asked + 1), room, tokensOfOne);
  const left = since.dropped > 0 ? 0 : room - fixed - since.tokens;
  const before = newest(others(0, Math.max(0, asked)), left, tokensOfOne);
  const shown = new Set([...before.kept, ...since.kept]);
  const kept = all.filter((one, index) => isFixed(index) || shown.has(one));
  return { kept, dropped: all.length - kept.length, tokens: before.tokens + fixed + since.tokens };
}

function textOf(one: SaidEntry | undefined): string | undefined {
  return one?.kind === "replied" ? one.text : one?.markdown;
}

function fitSaid(entry: SaidEntry, most: number, wholeOf: WholeOf): SaidEntry {
  const room = Math.max(0, most - (entry.kind === "replied" ? tokensAround.reply : tokensAround.words));
  if (entry.kind !== "replied") return fitWords(withFewerFiles(entry, room / 2), room, wholeOf(entry));
  return { kind: "replied", text: fitText(entry.text, Math.min(room, mostReplyTokens), escapedText) };
}

/** What has no room here is among the files of the conversation. */
function withFewerFiles<Words extends UserEntry | OverheardEntry>(entry: Words, room: number): Words {
  const own = keepingFewer(entry, entry, room);
  const { quote } = own;
  if (quote === undefined) return own;
  const fewer = keepingFewer(quote, own, room);
  return fewer === quote ? own : { ...own, quote: fewer };
}

/** So many of the files of a text as their lines take no more than `room`. */
function keepingFewer<Words extends { readonly attachments?: readonly EntryAttachment[] }>(
  words: Words,
  { sender, at }: UserEntry | OverheardEntry,
  room: number,
): Words {
  const { attachments = [] } = words;
  const bare = { kind: "overheard", sender, at, markdown: "" } as const;
  const around = tokensOfSaid(bare);
  let files = attachments.length;
  const lines = () => tokensOfSaid({ ...bare, attachments: attachments.slice(0, files).map(silent) });
  while (files > 0 && lines() - around > room) files = Math.floor(files / 2);
  return files === attachments.length ? words : { ...words, attachments: attachments.slice(0, files) };
}

function silent({ transcript: _, ...file }: EntryAttachment): EntryAttachment {
  return file;
}

function saidIn(entries: readonly TranscriptEntry[]): readonly SaidEntry[] {
  return entries.flatMap((entry): readonly SaidEntry[] => {
    if (entry.kind === "checkpoint") return entry.said;
    if (entry.kind === "user" || entry.kind === "overheard") return [entry];
    const isReply = entry.kind === "assistant" && entry.toolCalls.length === 0 && entry.content.trim() !== "";
    return isReply ? [{ kind: "replied", text: entry.content }] : [];
  });
}

/** What was done and a line for each call, oldest first, those of an earlier checkpoint in front. */
function workIn(
  entries: readonly TranscriptEntry[],
  since: readonly CallWithEnd[],
): { readonly did: readonly Did[]; readonly calls: readonly string[] } {
  const [first] = entries.filter((entry) => entry.kind === "checkpoint").slice(-1);
  const did = since.flatMap(({ result }) => result?.did ?? []);
  const lines = since.map(lineOf);
  if (first === undefined) return { did, calls: lines };
  const planned: readonly Did[] = first.plan === undefined ? [] : [{ kind: "planned", plan: first.plan }];
  return { did: [...first.files, ...first.commands, ...planned, ...did], calls: [...first.calls, ...lines] };
}

function lineOf({ call, result, isLate }: CallWithEnd): string {
  return `${shownCall(call)}${isLate ? ", answered later" : ""} -> ${endOf(result)}`;
}

function shownCall({ name, arguments: given }: Pick<ToolCall, "name" | "arguments">): string {
  return `${oneLine(name)}(${lineWithin(given, chars.arguments)})`;
}

/** Content of results stays out: it may be anybody's. */
function endOf(result: CallWithEnd["result"]): string {
  if (result === undefined) return "no result yet";
  if (!result.isError) return `${charsOf(result)} characters`;
  return result.untrusted ? "an error" : lineWithin(result.content, chars.error);
}

function planIn(did: readonly Did[], room: number): string | undefined {
  const planned = did.findLast((one) => one.kind === "planned");
  return planned === undefined ? undefined : fitText(planned.plan, room);
}

/** Once for each path, at the place of its last use. What was changed stays so when it is read again. */
function filesIn(did: readonly Did[]): CheckpointState["files"] {
  const found = new Map<string, CheckpointState["files"][number]>();
  for (const one of did) {
    if (one.kind !== "read" && one.kind !== "changed") continue;
    const path = lineWithin(one.path, chars.path);
    const known = found.get(path);
    found.delete(path);
    const kind = known?.kind === "changed" ? "changed" : one.kind;
    const digest = one.digest ?? (one.kind === "read" ? known?.digest : undefined);
    found.set(path, { kind, path, ...(digest === undefined ? {} : { digest }) });
  }
  return [...found.values()];
}

function commandsIn(did: readonly Did[]): CheckpointState["commands"] {
  return did.flatMap((one) =>
    one.kind === "ran" ? [{ ...one, command: lineWithin(one.command, chars.command), end: oneLine(one.end) }] : [],
  );
}

/** Texts of calls may be megabytes long. */
function lineWithin(text: string, most: number): string {
  return oneLine(cutEnd(text, 4 * most), most);
}

/** Calls that wait, and how many more do of which an earlier checkpoint had no room to tell. */
function openIn(
  entries: readonly TranscriptEntry[],
  since: readonly CallWithEnd[],
): { readonly calls: readonly OpenCall[]; readonly unshown: number } {
  const open = entries.flatMap((entry) => (entry.kind === "checkpoint" ? entry.open : []));
  let unshown = earlier(entries).open ?? 0;
  for (const entry of entries) {
    if (entry.kind !== "call.settled" || since.some(({ call }) => isSettledBy(call, entry))) continue;
    const shown = shownOpen(entry, entry.waitsFor);
    const place = open.findIndex((one) => one.callId === entry.callId && one.shown === shown);
    if (place >= 0) open.splice(place, 1);
    else unshown = Math.max(0, unshown - 1);
  }
  for (const { call, waiting } of since)
    if (waiting !== undefined) open.push({ callId: call.callId, shown: shownOpen(call, waiting.waitsFor) });
  return { calls: open, unshown };
}

function shownOpen(call: Pick<ToolCall, "name" | "arguments">, waitsFor: WaitsFor): string {
  return `${shownCall(call)} waits for ${waitsFor}`;
}

function earlier(entries: readonly TranscriptEntry[]): CheckpointState["leftOut"] {
  const last = entries.findLast((entry) => entry.kind === "checkpoint");
  return last?.leftOut ?? { said: 0, files: 0, commands: 0, calls: 0 };
}
