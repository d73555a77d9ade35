import {
  askersOf,
  type FileTaint,
  runTurn,
  type TranscriptEntry,
  type TurnInput,
  type TurnOutcome,
  workWordsFor,
} from "@talaria/agent";
import { type AccountId, instantOf, type Log, mandateOf, type Sender, untilAborted } from "@talaria/protocol";
import { foldEdits } from "@talaria/sessions";
import type { AskedOf, Home, TurnEnd } from "@talaria/store";
import { asksIn } from "./asks.ts";
import { type ClaimedTurn, type CutShort, systemOf } from "./claimed-turn.ts";
import { renewalOf } from "./facts-in.ts";
import type { TurnFileTaint } from "./file-taint.ts";
import { createPatience } from "./patience.ts";
import { patientTurns } from "./patient-turns.ts";
import { readEntries, readGrants, readHistory } from "./read-entries.ts";
import { repeatedCalls } from "./repeated-calls.ts";
import { ReplyStream } from "./reply-stream.ts";
import { SavedPartial } from "./saved-partial.ts";
import type { ToolsOfTurn } from "./tools-for.ts";
import { aborted, abortedBy, type Spent, toEnd } from "./turn-end.ts";
import { countTools, countUsage } from "./turn-metrics.ts";
import {
  factsFor,
  fileTaintOf,
  messagesOf,
  powersOf,
  shorteningOf,
  skillsFor,
  withAskers,
  withChosen,
} from "./turn-powers.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";
import { TurnWorkspace } from "./turn-workspace.ts";

/** How long the last answer of a turn may take whose time is over. */
const lastAnswerMs = 60_000;

const measured = { completed: "answered", failed: "failed", aborted: "stopped" } as const;

export interface PreparedTurn {
  readonly journal: readonly TranscriptEntry[];
  readonly history: readonly TranscriptEntry[];
  readonly offered: ToolsOfTurn;
  readonly homes: readonly Home[];
}

export interface TurnRunner {
  /**
   * Runs or resumes one turn to its end, or until it waits for calls that are answered later. Returns undefined when the turn
   * stays open: the process is shutting down, or another worker has the session.
   */
  (claimed: ClaimedTurn, prepared?: Promise<PreparedTurn>): Promise<TurnEnd | "suspended" | undefined>;
  /** Gets together what the turn needs. It changes nothing, so that it can be done while the begin of the turn is written. */
  prepare(claimed: ClaimedTurn): Promise<PreparedTurn>;
  /** Returns the end of a turn that a person or a limit cut short. */
  aborted(claimed: ClaimedTurn, reason: CutShort, partial: string): TurnEnd;
}

/** As in `TurnDeps`. */
interface Ends {
  readonly signal: AbortSignal;
  readonly timeUp: AbortSignal;
}

export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner {
  const prepareWith = (claimed: ClaimedTurn) => prepare(claimed, deps);
  const run = (claimed: ClaimedTurn, prepared?: Promise<PreparedTurn>) => {
    const { timeoutMs, graceMs = lastAnswerMs } = deps.limits;
    const turn = { lease: claimed.lease, firstSeq: claimed.firstSeq, timeoutMs, graceMs };
    return deps.running.run(turn, (signal, timeUp) =>
      drive(claimed, prepared ?? prepareWith(claimed), { signal, timeUp }, withChosen(deps, claimed.chosen)),
    );
  };
  return Object.assign(run, { aborted, prepare: prepareWith });
}

async function prepare(claimed: ClaimedTurn, deps: TurnRunnerDeps): Promise<PreparedTurn> {
  const log = deps.log.child({ sessionKey: claimed.lease.sessionKey, turnId: claimed.turnId });
  const journal = readEntries(claimed.journal);
  const homes = mandateOf(askersOf(journal)) === undefined ? [] : await deps.homes();
  const offered = await deps.toolsFor(claimed, journal, claimed.tools);
  return { journal, history: readHistory(claimed.history, log), offered, homes };
}

/** Who has asked first: the turn begins with their words. None where this release can't read those. */
function firstIn({ journal }: Pick<ClaimedTurn, "journal">): readonly Sender[] {
  try {
    return askersOf(readEntries(journal.slice(0, 1))).map(({ sender }) => sender);
  } catch {
    return [];
  }
}

async function drive(
  claimed: ClaimedTurn,
  prepared: Promise<PreparedTurn>,
  ends: Ends,
  deps: TurnRunnerDeps,
): Promise<TurnEnd | "suspended" | undefined> {
  const { lease, turnId, route, replyTo } = claimed;
  const startedAt = deps.clock.elapsed();
  const log = deps.log.child({ sessionKey: lease.sessionKey, turnId });
  const { metrics, publish } = deps;
  metrics.turnStarted();
  const words = workWordsFor({ conversation: route, requesters: firstIn(claimed) });
  const stream = new ReplyStream({ lease, turnId, route, publish, words, ...(replyTo ? { replyTo } : {}) });
  if (claimed.isRecovered) stream.status(words.takingUpAgain);
  let end: TurnEnd | undefined;
  let isSuspended = false;
  let files: TurnFileTaint | undefined;
  try {
    const ready = await unlessAborted(prepared, AbortSignal.any([ends.signal, ends.timeUp]));
    if (ready === undefined) {
      end = abortedBy(claimed, whichEnded(ends), "");
      return end;
    }
    const { openWorkspace, following } = deps;
    const workspace = openWorkspace && new TurnWorkspace(lease, openWorkspace, following, createPatience(deps));
    const own = workspace === undefined ? deps : { ...deps, openWorkspace: () => workspace.open() };
    files = workspace && fileTaintOf(lease, workspace, deps);
    const { outcome, spent } = await follow(claimed, ready, { stream, files, log }, ends, own);
    await workspace?.keep();
    isSuspended = outcome.status === "suspended";
    if (outcome.status === "suspended") return "suspended";
    end = toEnd(claimed, outcome, whichEnded(ends), instantOf(deps.clock.now()), spent);
    if (end !== undefined) countUsage(outcome.final, deps.metrics);
    return end;
  } finally {
    files?.ended();
    deps.questions?.close(turnId, end !== undefined);
    deps.laterNews?.turnEnded(turnId, isStopped(end));
    stream.end(isSuspended ? "suspended" : (end?.outcome ?? "aborted"));
    const durationMs = deps.clock.elapsed() - startedAt;
    const outcome = end === undefined ? "suspended" : measured[end.outcome];
    deps.metrics.turnFinished(outcome, durationMs, end?.reason);
    if (end !== undefined) deps.metrics.stage("claimed_to_answered", durationMs);
    log.info({ durationMs, outcome, code: end?.reason }, "turn finished");
  }
}

/** Somebody wants nothing more of it. */
function isStopped(end: TurnEnd | undefined): boolean {
  return end?.outcome === "aborted" && (end.reason === "stopped" || end.reason === "superseded");
}

/** The signal whose reason counts. Whatever ends a last answer counts more than the time that was over before it. */
function whichEnded({ signal, timeUp }: Ends): AbortSignal {
  return signal.aborted ? signal : timeUp;
}

/** Undefined: the turn was aborted while it waited for servers of tools. */
async function unlessAborted(prepared: Promise<PreparedTurn>, signal: AbortSignal): Promise<PreparedTurn | undefined> {
  try {
    return await untilAborted(prepared, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

async function follow(
  claimed: ClaimedTurn,
  prepared: PreparedTurn,
  { stream, files, log }: { readonly stream: ReplyStream; readonly files: FileTaint | undefined; readonly log: Log },
  ends: Ends,
  deps: TurnRunnerDeps,
): Promise<{ readonly outcome: TurnOutcome; readonly spent?: Spent | undefined }> {
  const { lease, turnId } = claimed;
  const { journal: begun, offered, homes } = prepared;
  const { tools, keep } = offered;
  const written: TranscriptEntry[] = [];
  const of = { lease, turnId, route: claimed.route, askers: () => askersOf([...begun, ...written]) };
  const unanswered = await deps.questions?.open(of, unfinishedIn(begun), repeatedCalls(begun, tools));
  const own = withAskers(deps, of, claimed.conversation);
  let grants = readGrants(claimed.grants, log);
  const patiently = createPatience({ ...deps, log });
  const turns = patientTurns(deps.turns, () => claimed.journal.length + written.length, patiently, log, deps.passes);
  if (keep !== undefined) await patiently(() => deps.turns.keepTools(lease, turnId, keep));
  const turn = runTurn(inputOf(claimed, prepared, deps), {
    model: deps.model,
    ...ends,
    clock: deps.clock,
    log,
    ...messagesOf(claimed, deps),
    ...factsFor(claimed, deps),
    ...skillsFor(claimed, deps),
    ...renewalOf(claimed, () => [...prepared.history, ...begun, ...written], { ...deps, patiently }),
    ...(files === undefined ? {} : { fileTaint: files }),
    ...shorteningOf(deps, tools),
    ...(unanswered && { unanswered }),
    ...powersOf(own, of, () => ({ grants, homes })),
    wordsWait: () => deps.turns.wordsWait(lease, turnId),
    steering: async (unwritten) => {
      const entries = readEntries(
        await turns.steer(
          lease,
          turnId,
          async (events) => {
            const { take } = foldEdits(events);
            return [...unwritten, ...(await deps.toEntries(take, events))];
          },
          deps.spending,
        ),
      );
      written.push(...entries);
      countUsage(entries, deps.metrics);
      if (entries.some(({ kind }) => kind === "call.settled"))
        grants = readGrants(
          await patiently(() => deps.grantsOf(lease.sessionKey, claimed.conversation.accountId)),
          log,
        );
      return entries;
    },
  });
  const partial = new SavedPartial(stream, (text) => turns.savePartial(lease, turnId, text), deps.clock);
  let deltas = 0;
  let spent: Spent | undefined;
  const begunAt = deps.clock.elapsed();
  for (;;) {
    const { done, value } = await turn.next();
    if (done) {
      deps.metrics.streamed(deltas);
      return { outcome: value, spent };
    }
    switch (value.type) {
      case "text.delta":
        if (deltas === 0) deps.metrics.firstToken(deps.modelName, deps.clock.elapsed() - begunAt);
        deltas += 1;
        stream.append(value.text);
        await partial.atWord();
        break;
      case "text.restart":
        stream.restart();
        break;
      case "status":
        stream.status(value.label);
        break;
      case "journal": {
        const asks = await asksIn(
          value.entries,
          [...begun, ...written],
          { ...claimed, sessionKey: lease.sessionKey, workerId: deps.workerId },
          deps.clock.now(),
          {
            homes: () => patiently(deps.homes),
            capabilitiesOf: (accountId) => patiently(() => deps.capabilitiesOf(accountId)),
          },
        );
        const { reached, cancelled } = await turns.append(lease, turnId, value.entries, asks);
        // Nobody may have told this process yet.
        if (cancelled !== undefined) deps.running.abort(lease.sessionKey, cancelled);
        if (reached !== undefined) {
          // Those that start now don't run any more.
          const calls = [...begun, ...written].filter(({ kind }) => kind === "tool.started").length;
          spent = { ...reached, calls };
          deps.running.abort(lease.sessionKey, "spending_limit");
        }
        written.push(...value.entries);
        await partial.atStep();
        tell(toldBy(value.entries, asks, claimed.route), deps);
        countTools(value.entries, deps.metrics);
        countUsage(value.entries, deps.metrics);
        break;
      }
      default:
        value satisfies never;
    }
  }
}

/** The accounts whose people are asked something, or read where they were asked that a call which they approved did not run. */
function toldBy(
  entries: readonly TranscriptEntry[],
  asks: readonly AskedOf[],
  { accountId }: ClaimedTurn["route"],
): ReadonlySet<AccountId> {
  const asked = asks.flatMap(({ texts = [] }) => texts.map((text) => text.conversation.accountId));
  const isForbidden = entries.some((entry) => entry.kind === "tool.result" && entry.forbidden !== undefined);
  return new Set([...asked, ...(isForbidden ? [accountId] : [])]);
}

function tell(accounts: ReadonlySet<AccountId>, { deliver }: Pick<TurnRunnerDeps, "deliver">): void {
  for (const accountId of accounts) deliver(accountId);
}

/** Calls that have begun and have no result: in another worker. */
function unfinishedIn(journal: readonly TranscriptEntry[]): readonly string[] {
  const ended = new Set(journal.flatMap((entry) => (entry.kind === "tool.result" ? [entry.callId] : [])));
  return journal.flatMap((entry) => (entry.kind === "tool.started" && !ended.has(entry.callId) ? [entry.callId] : []));
}

function inputOf(
  { lease, turnId, prompt, facts, conversation, questions, isHurried = false, compact = false }: ClaimedTurn,
  { journal, history, offered: { tools } }: PreparedTurn,
  { limits, showsInstructions = false }: TurnRunnerDeps,
): TurnInput {
  return {
    turnId,
    sessionKey: lease.sessionKey,
    system: systemOf({ prompt, facts }),
    conversation,
    shared: conversation.kind !== "direct",
    history,
    journal,
    tools,
    ...limits,
    showsInstructions,
    questions,
    isHurried,
    compact,
  };
}
