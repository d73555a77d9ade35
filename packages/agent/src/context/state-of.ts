import type { WaitsFor } from "@talaria/protocol";
import type { TranscriptEntry } from "../journal.ts";
import type { ToolCall } from "../model.ts";
import { cutEnd } from "../text.ts";
import { oneLine } from "../untrusted-text.ts";
import { type CallWithEnd, callsIn, isSettledBy } from "./calls-in.ts";
import type { CheckpointState, OpenCall } from "./context-entries.ts";
import type { Did } from "./did.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { fitText } from "./fit-entry.ts";
import { keepSaid, type WholeOf } from "./keep-said.ts";
import { tokensOfLines } from "./tokens-of.ts";
import { writtenAs } from "./visible-entries.ts";

/** How the room is shared out. What was said has what the others leave, and they what it leaves. */
const shares = { plan: 0.2, open: 0.2, said: 0.45, mostSaid: 32_000 };
const sharesBeside = { remarks: 0.15, files: 0.12, commands: 0.2, calls: 0.08 };
const sharesOfRest = { remarks: 0.35, files: 0.4, commands: 0.7, calls: 1 };
/** The plan, the newest files, and the newest calls, have so many in any case. */
const leastTokens = { plan: 150, files: 60, calls: 150 };
/** What stands around a file: whether it was changed, and its digest. */
const tokensAround = { file: 12 };
const chars = { arguments: 160, ranArguments: 60, error: 120, command: 400, path: 300, remark: 240, result: 160 };

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
  const beside = (shared: typeof sharesBeside, least = 0) => {
    const remarks = take(newest(remarksIn(entries), within(shared.remarks), (line) => tokensOfLines([line])));
    const files = take(newestFiles(filesIn(did), Math.max(leastTokens.files, within(shared.files))));
    const commands = take(
      newest(commandsIn(did), within(shared.commands), (one) => tokensOfLines([one.command, one.end])),
    );
    const lines = take(newest(calls, Math.max(least, within(shared.calls)), (line) => tokensOfLines([line])));
    return { remarks, files, commands, lines };
  };
  const all = room;
  beside(sharesBeside);
  const unused = room;
  room = all;
  const said = take(keepSaid(entries, Math.min(shares.mostSaid, Math.max(within(shares.said), unused)), wholeOf));
  const { remarks, files, commands, lines } = beside(sharesOfRest, leastTokens.calls);
  const before = earlier(entries);
  const notShown = open.dropped + unshown;
  return {
    said: said.kept,
    ...(plan === undefined ? {} : { plan }),
    files: files.kept,
    commands: commands.kept,
    open: open.kept,
    ...(remarks.kept.length === 0 ? {} : { remarks: remarks.kept }),
    calls: lines.kept,
    leftOut: {
      said: said.dropped + before.said,
      files: files.dropped + before.files,
      commands: commands.dropped + before.commands,
      calls: lines.dropped + before.calls,
      ...(remarks.dropped + (before.remarks ?? 0) === 0 ? {} : { remarks: remarks.dropped + (before.remarks ?? 0) }),
      ...(notShown === 0 ? {} : { open: notShown }),
    },
  };
}

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

/** What was done and a line for each call, oldest first, those of an earlier checkpoint in front. */
function workIn(
  entries: readonly TranscriptEntry[],
  since: readonly CallWithEnd[],
): { readonly did: readonly Did[]; readonly calls: readonly string[] } {
  const [first] = entries.filter((entry) => entry.kind === "checkpoint").slice(-1);
  const did = since.flatMap(({ result }) => (result?.did ?? []).map((one) => withOutput(one, result)));
  const lines = since.map(lineOf);
  if (first === undefined) return { did, calls: lines };
  const planned: readonly Did[] = first.plan === undefined ? [] : [{ kind: "planned", plan: first.plan }];
  return { did: [...first.files, ...first.commands, ...planned, ...did], calls: [...first.calls, ...lines] };
}

function lineOf({ call, result, isLate }: CallWithEnd): string {
  // What ran stands among the commands.
  if (result?.did?.some(({ kind }) => kind === "ran") === true && isLate !== true)
    return `${shownCall(call, chars.ranArguments)} -> ran`;
  return `${shownCall(call)}${isLate ? ", answered later" : ""} -> ${endOf(result)}`;
}

function shownCall({ name, arguments: given }: Pick<ToolCall, "name" | "arguments">, most = chars.arguments): string {
  // Whatever is cut must not end like the beginning of a tag.
  return `${oneLine(name)}(${lineWithin(given, most).replace(/<[^<>\s]{0,20}$/, "")})`;
}

/** Of a stranger's result nothing is said but its length. A short one of ours is all that was found out. */
function endOf(result: CallWithEnd["result"]): string {
  if (result === undefined) return "no result yet";
  if (result.isError) return result.untrusted ? "an error" : lineWithin(result.content, chars.error);
  const { content } = writtenAs(result);
  return result.untrusted || content.length > chars.result
    ? `${content.length} characters`
    : oneLine(content, chars.result);
}

/** A command with the beginning and the end of what it printed. */
function withOutput(one: Did, result: CallWithEnd["result"]): Did {
  if (one.kind !== "ran" || result === undefined || result.untrusted) return one;
  const lines = writtenAs(result).content.trim();
  const half = Math.floor(chars.result / 2);
  const text = lines.length <= chars.result ? lines : `${lines.slice(0, half)} … ${lines.slice(-half)}`;
  return { ...one, end: oneLine(`${one.end}: ${text}`, chars.remark) };
}

/** What the model has said between its calls: what it has found out, where nobody else has written it down. */
function remarksIn(entries: readonly TranscriptEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === "checkpoint") return entry.remarks ?? [];
    if (entry.kind !== "assistant" || entry.toolCalls.length === 0 || entry.content.trim() === "") return [];
    return [lineWithin(entry.content.trim(), chars.remark)];
  });
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
    one.kind === "ran"
      ? [{ ...one, command: lineWithin(one.command, chars.command), end: oneLine(one.end, chars.remark) }]
      : [],
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
