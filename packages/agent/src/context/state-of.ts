import type { TranscriptEntry } from "../journal.ts";
import { cutEnd } from "../text.ts";
import { oneLine } from "../untrusted-text.ts";
import { type CallWithEnd, callsIn } from "./calls-in.ts";
import type { CheckpointState, OpenCall, SaidEntry } from "./context-entries.ts";
import type { Did } from "./did.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { fitText, fitWords } from "./fit-entry.ts";
import { tokensOfLines, tokensOfSaid } from "./tokens-of.ts";

/** How the room is shared out: what is not used goes to those below. */
const shares = { plan: 0.2, open: 0.1, said: 0.5, files: 0.3, commands: 0.4, calls: 1 };
/** One text takes at most this share of the room for all, and an answer of the agent so many tokens. */
const longestShare = 0.6;
const mostReplyTokens = 300;
const chars = { arguments: 160, error: 120, command: 400, path: 300 };

/**
 * What is known of the work when these entries are no longer shown, in at most about `tokens` tokens: the same entries give the same
 * bytes. `entries` may begin with an earlier checkpoint, whose state goes on in this one.
 */
export function stateOf(entries: readonly TranscriptEntry[], tokens: number): CheckpointState {
  let room = tokens;
  const within = (share: number) => Math.max(0, Math.floor(room * share));
  const take = <Kept extends Selection<unknown>>(kept: Kept): Kept => {
    room -= kept.tokens;
    return kept;
  };
  const { did, calls } = workIn(entries);
  const plan = planIn(did, within(shares.plan));
  room -= estimateTokens(plan ?? "");
  const open = take(newest(openIn(entries), within(shares.open), ({ shown }) => tokensOfLines([shown])));
  const said = take(newestSaid(entries, within(shares.said)));
  const files = take(newest(filesIn(did), within(shares.files), (one) => tokensOfLines([one.path]) + 12));
  const commands = take(
    newest(commandsIn(did), within(shares.commands), (one) => tokensOfLines([one.command, one.end])),
  );
  const lines = take(newest(calls, within(shares.calls), (line) => tokensOfLines([line])));
  const before = earlier(entries);
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

/** The newest words always stand there, however long they are: they are what is answered. */
function newestSaid(entries: readonly TranscriptEntry[], room: number): Selection<SaidEntry> {
  const most = Math.floor(room * longestShare);
  const all = saidIn(entries).map((one) => fitSaid(one, most));
  return newest(all, room, tokensOfSaid);
}

function fitSaid(entry: SaidEntry, most: number): SaidEntry {
  const room = Math.max(0, most - 100);
  if (entry.kind === "user") return fitWords(entry, room);
  if (entry.kind === "overheard") return { ...entry, markdown: fitText(entry.markdown, room) };
  return { kind: "replied", text: fitText(entry.text, Math.min(room, mostReplyTokens)) };
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
function workIn(entries: readonly TranscriptEntry[]): {
  readonly did: readonly Did[];
  readonly calls: readonly string[];
} {
  const [first] = entries.filter((entry) => entry.kind === "checkpoint").slice(-1);
  const since = callsIn(entries);
  const did = since.flatMap(({ result }) => result?.did ?? []);
  const lines = since.map(lineOf);
  if (first === undefined) return { did, calls: lines };
  const planned: readonly Did[] = first.plan === undefined ? [] : [{ kind: "planned", plan: first.plan }];
  return { did: [...first.files, ...first.commands, ...planned, ...did], calls: [...first.calls, ...lines] };
}

function lineOf({ call, result }: CallWithEnd): string {
  const given = lineWithin(call.arguments, chars.arguments);
  return `${oneLine(call.name)}(${given}) -> ${endOf(result)}`;
}

/** Content of results stays out: it may be anybody's. */
function endOf(result: CallWithEnd["result"]): string {
  if (result === undefined) return "no result yet";
  if (!result.isError) return `${result.content.length} characters`;
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

function openIn(entries: readonly TranscriptEntry[]): readonly OpenCall[] {
  const open = new Map<string, OpenCall>();
  for (const entry of entries) {
    if (entry.kind === "checkpoint") for (const one of entry.open) open.set(one.callId, one);
    if (entry.kind === "call.settled") open.delete(entry.callId);
  }
  for (const { call, waiting } of callsIn(entries)) {
    if (waiting === undefined) continue;
    const shown = `${oneLine(call.name)}(${lineWithin(call.arguments, chars.arguments)}) waits for ${waiting.waitsFor}`;
    open.set(call.callId, { callId: call.callId, shown });
  }
  return [...open.values()];
}

function earlier(entries: readonly TranscriptEntry[]): CheckpointState["leftOut"] {
  const last = entries.findLast((entry) => entry.kind === "checkpoint");
  return last?.leftOut ?? { said: 0, files: 0, commands: 0, calls: 0 };
}
