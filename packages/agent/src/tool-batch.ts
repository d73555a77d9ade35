import type { Role, Sender, UserId } from "@talaria/protocol";
import { askableCalls } from "./askable-calls.ts";
import { withHint } from "./batch-hints.ts";
import { withinLimits } from "./call-limits.ts";
import { blockersOf } from "./call-order.ts";
import { type CallSettings, callTool } from "./call-tool.ts";
import { openFor } from "./call-workspace.ts";
import { type CallsOfCodeSettings, callsOfCode } from "./calls-of-code.ts";
import { type CallCircumstances, type CheckedCall, checkCall } from "./check-call.ts";
import { fitText } from "./context/fit-entry.ts";
import type { FolderInstructions } from "./folder-instructions.ts";
import type { Inbox } from "./inbox.ts";
import type { CallSettledEntry, ToolResultEntry, ToolWaitingEntry } from "./journal.ts";
import { type KeptSettings, keptFor } from "./kept-for.ts";
import { lastPlan } from "./last-plan.ts";
import { LettingGo, notBegun } from "./letting-go.ts";
import { Mailbox } from "./mailbox.ts";
import { filesOf, type KnownFile } from "./media.ts";
import type { ModelStop, ToolCall } from "./model.ts";
import { settledResult } from "./settled-calls.ts";
import { isReady, runningNow, startOf } from "./shown-calls.ts";
import { shownWork } from "./shown-work.ts";
import { cutMiddle, storable } from "./text.ts";
import type { LaterNews, Tool, ToolContext } from "./tool.ts";
import { cancelledResult, toolResult } from "./tool-result.ts";
import type { TurnEvent } from "./turn-event.ts";
import { rolesOf, sendersOf, speakersOf, type TurnJournal } from "./turn-journal.ts";
import { type WorkWords, workWordsFor } from "./work-words.ts";
import type { Workspace } from "./workspace.ts";

const parallelCalls = 8;
const reportChars = 500;

export interface BatchSettings extends CallSettings, KeptSettings {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly shownTools: ReadonlySet<string>;
  readonly journal: TurnJournal;
  /** What waits for people from other turns. */
  readonly earlierQuestions: number;
  /** Who spoke in earlier turns. */
  readonly earlierSpeakers: readonly Sender[];
  /** What they may do. */
  readonly earlierRoles: ReadonlyMap<UserId, Role>;
  readonly earlierFiles: readonly KnownFile[];
  readonly earlierPlan?: string | undefined;
  readonly authorise: CallsOfCodeSettings["authorise"];
  /** Of calls that have begun before: those whose question to people nobody had answered. */
  readonly unanswered?: ReadonlySet<string>;
  /** What each of so many results may take of the model's window, in tokens. */
  roomForEach(results: number): number;
  readonly openWorkspace?: () => Promise<Workspace>;
  /** Without it, results hold nothing of what folders say to agents. */
  readonly instructions?: FolderInstructions;
  readonly inbox: Inbox;
  readonly tellLater?: (callId: string, news: LaterNews) => void;
  readonly wordsWait?: () => Promise<boolean>;
  readonly context: Pick<ToolContext, "sessionKey" | "turnId" | "conversation" | "media" | "messages">;
}

/** Calls to run: those of one answer, or one that was settled late. */
export interface Batch {
  readonly stop: ModelStop;
  readonly calls: readonly ToolCall[];
  /** How a call that waited was settled. */
  settlement(callId: string): CallSettledEntry | undefined;
}

type CallEnd = ToolResultEntry | ToolWaitingEntry;

/** Nobody has to be asked about it first. */
type SettledOrReady = Exclude<CheckedCall, { readonly status: "waits" }>;

interface Known {
  readonly finished: Map<string, CallEnd>;
  /** Calls that have done nothing yet, though the journal says that they have started. */
  readonly announced: Set<string>;
}

type Report =
  | { readonly type: "status"; readonly label: string }
  | { readonly type: "finished" | "aborted" | "let_go" };

/**
 * Runs the calls of one answer side by side, at most 8, each as soon as no earlier one keeps it waiting (`blockersOf`).
 * What has to be asked about is journaled first. A call's start is journaled before it starts. Results are journaled in source order.
 * After an abort it returns at
 * once with a result for every call of the turn that has none in the journal yet.
 */
export async function* runBatch(
  { stop, calls, settlement }: Batch,
  settings: BatchSettings,
): AsyncGenerator<TurnEvent, readonly ToolResultEntry[]> {
  const { tools, shownTools, journal } = settings;
  const { requesters } = journal;
  // Also of those that wait already, so that a worker which goes on after a death leaves the same room.
  const maxToolOutputTokens = settings.roomForEach(Math.max(calls.length, journal.openAnswer?.calls.length ?? 0));
  const authorise = (...asked: Parameters<CallCircumstances["authorise"]>) => settings.authorise(...asked, []);
  const possible = calls.map((call) =>
    checkCall(call, {
      ...{ tools, shownTools, requesters, stop, authorise },
      wasStarted: journal.hasStarted(call.callId),
      isUnanswered: settings.unanswered?.has(call.callId) === true,
      settled: settlement(call.callId),
    }),
  );
  const asked = new Set(journal.openQuestions);
  const asking = { ...settings.context, requesters: sendersOf(journal.entries), roles: rolesIn(settings) };
  const askable = await askableCalls(possible, (callId) => asked.has(callId), asking, settings.signal);
  const checked = withinLimits(askable, journal, settings.earlierQuestions);
  const known: Known = { finished: new Map(), announced: new Set() };
  const waiting = checked.flatMap((one) => (one.status === "waits" ? [one.waiting] : []));
  // All at once, so that people are asked in one message, and before anything that runs keeps them waiting.
  if (waiting.length > 0 && !settings.signal.aborted) yield journal.record(waiting);
  const others = checked.flatMap((one) => (one.status === "waits" ? [] : [one]));
  yield* runCalls(others, { ...settings, maxToolOutputTokens }, known);
  yield* journal.flush();
  return journal.unfinished.map((call) => {
    const end = known.finished.get(call.callId);
    if (end?.kind === "tool.result") return end;
    return known.announced.has(call.callId) ? cancelledResult(call, false) : cancelledCall(call, settings);
  });
}

async function* runCalls(
  calls: readonly SettledOrReady[],
  settings: BatchSettings,
  { finished, announced }: Known,
): AsyncGenerator<TurnEvent, void> {
  const { journal, signal } = settings;
  const words = workWordsFor({ conversation: settings.context.conversation, requesters: journal.requesters });
  const reports = new Mailbox<Report>();
  const onAbort = () => reports.put({ type: "aborted" });
  signal.addEventListener("abort", onAbort, { once: true });
  const leaving = new AbortController();
  const callSettings = { ...settings, signal: AbortSignal.any([signal, leaving.signal]) };
  const waiting = new Map(blockersOf(calls).entries());
  const running = new Set<CheckedCall>();
  const lettingGo = new LettingGo(settings);
  void lettingGo.watch(callSettings.signal, () => reports.put({ type: "let_go" }));
  let recorded = 0;
  try {
    while (recorded < calls.length && !signal.aborted) {
      const starting = nextCalls(calls, waiting, finished, parallelCalls - running.size);
      for (const checked of starting) running.add(checked);
      if (starting.some(isReady)) yield* runningNow(running, words);
      yield* announce(starting, { journal, words }, announced);
      if (signal.aborted) return;
      for (const checked of starting) {
        announced.delete(checked.call.callId);
        const plan = lastPlan([...journal.entries, ...resultsOf(finished)]) ?? settings.earlierPlan;
        void runChecked(checked, { ...callSettings, plan, letGo: lettingGo.begin(checked) }, reports).then((end) => {
          lettingGo.ended(end.callId);
          finished.set(end.callId, end);
          running.delete(checked);
          reports.put({ type: "finished" });
        });
      }
      const report = await reports.take();
      if (report.type === "aborted") return;
      if (report.type === "status") {
        yield report;
        continue;
      }
      if (report.type === "let_go") leaveOut(calls, waiting, finished);
      yield* runningNow(running, words);
      const results = resultsFrom(calls, recorded, finished, journal);
      recorded += results.length;
      if (results.length > 0) yield journal.record(results);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    leaving.abort();
  }
}

function resultsOf(finished: ReadonlyMap<string, CallEnd>): readonly ToolResultEntry[] {
  return [...finished.values()].filter((end) => end.kind === "tool.result");
}

/** Takes up to `room` calls out of those that wait: the first ones whose blockers have all finished. */
function nextCalls(
  calls: readonly SettledOrReady[],
  waiting: Map<number, readonly number[]>,
  finished: ReadonlyMap<string, CallEnd>,
  room: number,
): readonly SettledOrReady[] {
  const isFinished = (index: number) => finished.has(calls[index]?.call.callId ?? "");
  const starting: SettledOrReady[] = [];
  for (const [index, blockers] of waiting) {
    if (starting.length >= room) break;
    const checked = calls[index];
    if (checked === undefined || !blockers.every(isFinished)) continue;
    waiting.delete(index);
    starting.push(checked);
  }
  return starting;
}

/** What has not begun doesn't begin any more. */
function leaveOut(
  calls: readonly SettledOrReady[],
  waiting: Map<number, readonly number[]>,
  finished: Map<string, CallEnd>,
): void {
  for (const index of [...waiting.keys()]) {
    const checked = calls[index];
    if (checked === undefined || !isReady(checked)) continue;
    waiting.delete(index);
    finished.set(checked.call.callId, notBegun(checked.call));
  }
}

function* announce(
  starting: readonly SettledOrReady[],
  { journal, words }: { readonly journal: TurnJournal; readonly words: WorkWords },
  announced: Set<string>,
): Generator<TurnEvent, void> {
  const fresh = starting.filter(isReady).filter(({ call }) => !journal.hasStarted(call.callId));
  if (fresh.length === 0) return;
  for (const { call } of fresh) announced.add(call.callId);
  yield journal.record(fresh.map((one) => startOf(one, words)));
}

async function runChecked(
  checked: SettledOrReady,
  settings: BatchSettings & { readonly plan: string | undefined; readonly letGo: AbortSignal | undefined },
  reports: Mailbox<Report>,
): Promise<CallEnd> {
  if (checked.status === "refused") {
    const { call, reason, forbidden } = checked;
    return { ...toolResult(call, reason, true), nothingCame: true, ...(forbidden && { forbidden }) };
  }
  if (checked.status === "settled") {
    const { maxToolOutputChars, maxToolOutputTokens = Number.POSITIVE_INFINITY } = settings;
    const fit = (text: string) => fitText(cutMiddle(storable(text), maxToolOutputChars), maxToolOutputTokens);
    return settledResult(checked.call, checked.settled, fit);
  }
  const { clock, context, tellLater, earlierSpeakers, earlierFiles, journal, plan, letGo } = settings;
  const { callId } = checked.call;
  const asked = journal.entries;
  const files = [...earlierFiles, ...filesOf(asked)];
  const opened = await openFor(checked, files, settings);
  if ("kind" in opened) return opened;
  const { workspace, missing } = opened;
  const touching = workspace && settings.instructions?.watch(workspace);
  const own = {
    ...context,
    ...(workspace === undefined ? {} : { workspace: touching?.workspace ?? workspace }),
    ...(tellLater === undefined ? {} : { tellLater: (news: LaterNews) => tellLater(callId, news) }),
    ...keptFor(settings, checked, []),
    ...(plan === undefined ? {} : { plan }),
    ...(letGo === undefined ? {} : { letGo }),
    callId,
    idempotencyKey: `${context.turnId}:${callId}`,
    requesters: sendersOf(asked),
    participants: uniqueSenders([...sendersOf(asked), ...speakersOf(asked), ...earlierSpeakers]),
    roles: rolesIn(settings),
    files,
    now: () => clock.now(),
    progress: (label: string) => reports.put({ type: "status", label: shownWork(label, reportChars) }),
  };
  const forCode = { ...settings, requesters: own.requesters };
  const callsOf = (signal: AbortSignal) => callsOfCode(checked.call, own, forCode, signal);
  const end = await callTool(checked, own, settings, checked.tool.permissions.includes("exec") ? callsOf : undefined);
  // What is told late is shown as a stranger's words already.
  const isLate = journal.lateSettlements.some(({ id }) => id === callId);
  if (end.kind !== "tool.result" || isLate) return end;
  const told = missing.length === 0 ? end : { ...end, content: [end.content, ...missing].join("\n") };
  if (touching === undefined || end.isError) return told;
  return await touching.added(told, checked.tool.targets?.(checked.input) ?? [], settings.signal);
}

function rolesIn({ earlierRoles, journal }: BatchSettings): ReadonlyMap<UserId, Role> {
  return new Map([...earlierRoles, ...rolesOf(journal.entries)]);
}

/** The results and waits that can be written now without leaving source order. */
function resultsFrom(
  calls: readonly SettledOrReady[],
  from: number,
  finished: ReadonlyMap<string, CallEnd>,
  journal: TurnJournal,
): readonly CallEnd[] {
  const ends: CallEnd[] = [];
  for (const { call } of calls.slice(from)) {
    const end = finished.get(call.callId);
    if (end === undefined) break;
    const results = [...ends, end].filter((entry) => entry.kind === "tool.result");
    ends.push(end.kind === "tool.result" ? withHint(end, journal, results) : end);
  }
  return ends;
}

function uniqueSenders(senders: readonly Sender[]): readonly Sender[] {
  return [...Map.groupBy(senders, ({ userId }) => userId).values()].flatMap((same) => same.slice(0, 1));
}

/** The result of a call whose turn is stopped. */
export function cancelledCall(call: ToolCall, { journal, tools }: BatchSettings): ToolResultEntry {
  return cancelledResult(call, journal.mayHaveRun(call.callId) && tools.get(call.name)?.effect === "write");
}
