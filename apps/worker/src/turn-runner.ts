import {
  type Authorise,
  cancelledCalls,
  type MediaAccess,
  type ModelPort,
  type ReplyParts,
  runTurn,
  type Tool,
  type TranscriptEntry,
  type TurnFailureCode,
  type TurnOutcome,
  transcriptEntrySchema,
  type Workspace,
} from "@talaria/agent";
import {
  type AccountId,
  brandAs,
  type Clock,
  type Conversation,
  type DeliveryKey,
  type Log,
  type MessageId,
  type SessionKey,
  type StreamFrame,
  type TurnId,
} from "@talaria/protocol";
import { foldEdits } from "@talaria/sessions";
import type { SessionLease, StoredEntry, TurnEnd, TurnStore } from "@talaria/store";
import { asksIn } from "./asks.ts";
import type { EntryMaker } from "./entries.ts";
import { notices } from "./notices.ts";
import { ReplyStream } from "./reply-stream.ts";
import type { AbortReason, RunningTurns } from "./running-turns.ts";
import type { Spending } from "./spending.ts";

/** How often a growing text is stored. */
const partialEveryMs = 1_000;

/** Failures that tell a person about their own request: their notice is the answer, and no news about the operation. */
const answersItself: ReadonlySet<TurnFailureCode> = new Set<TurnFailureCode>(["refusal", "step_limit", "output_limit"]);

const measured = { completed: "answered", failed: "failed", aborted: "stopped" } as const;

export interface TurnLimits {
  readonly maxSteps: number;
  readonly timeoutMs: number;
  readonly maxOutputChars: number;
  readonly maxToolOutputChars: number;
  readonly historyTokens: number;
}

/** Metrics of turns. None of these may throw. Durations are in milliseconds. */
export interface TurnMetrics {
  turnStarted(): void;
  /** `suspended`: it waits for calls that are answered later, or another worker continues it. */
  turnFinished(outcome: "answered" | "failed" | "stopped" | "suspended", durationMs: number): void;
  firstToken(model: string, latencyMs: number): void;
  streamed(deltas: number): void;
  toolCalled(tool: string, outcome: "ok" | "error"): void;
  /** A limit of that scope and unit kept so many events from being answered. */
  spendingRefused(scope: string, unit: string, events: number): void;
  stage(stage: "recorded_to_claimed" | "claimed_to_answered", durationMs: number): void;
}

export interface TurnRunnerDeps {
  readonly turns: TurnStore;
  readonly running: RunningTurns;
  readonly model: ModelPort;
  /** The model's name in the configuration. */
  readonly modelName: string;
  /** Returns the tools of a turn that begins with `journal` and answers to `route`. */
  readonly toolsFor: (route: Conversation, journal: readonly TranscriptEntry[]) => Promise<readonly Tool[]>;
  /** Without it, no tool has a workspace. */
  readonly openWorkspace?: (sessionKey: SessionKey) => Promise<Workspace>;
  /** Without it, every call may run. */
  readonly authorise?: Authorise;
  readonly media?: MediaAccess;
  readonly toEntries: EntryMaker;
  readonly spending: Spending;
  readonly limits: TurnLimits;
  readonly publish: (frame: StreamFrame) => void;
  /** Tells the gateway that holds the account that its outbox has new rows. Lossy. */
  readonly deliver: (accountId: AccountId) => void;
  readonly metrics: TurnMetrics;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ClaimedTurn {
  readonly lease: SessionLease;
  readonly turnId: TurnId;
  readonly firstSeq: number;
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  /** The session's own conversation; `route` may lead elsewhere. */
  readonly conversation: Conversation;
  readonly prompt: string;
  readonly history: readonly StoredEntry[];
  readonly journal: readonly StoredEntry[];
  /** Somebody waits behind this turn: it doesn't wait for calls that are answered later. */
  readonly isHurried?: boolean;
}

export type CutShort = Exclude<AbortReason, "shutdown" | "lost">;

export interface TurnRunner {
  /**
   * Runs or resumes one turn to its end, or until it waits for calls that are answered later. Returns undefined when the turn
   * stays open: the process is shutting down, or another worker has the session.
   */
  (claimed: ClaimedTurn): Promise<TurnEnd | "suspended" | undefined>;
  /** Returns the end of a turn that a person or a limit cut short. */
  aborted(claimed: ClaimedTurn, reason: CutShort, partial: string): TurnEnd;
}

export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner {
  const run = (claimed: ClaimedTurn) => {
    const turn = { lease: claimed.lease, firstSeq: claimed.firstSeq, timeoutMs: deps.limits.timeoutMs };
    return deps.running.run(turn, (signal) => drive(claimed, signal, deps));
  };
  return Object.assign(run, { aborted });
}

async function drive(
  claimed: ClaimedTurn,
  signal: AbortSignal,
  deps: TurnRunnerDeps,
): Promise<TurnEnd | "suspended" | undefined> {
  const { lease, turnId, route, replyTo } = claimed;
  const startedAt = deps.clock.now();
  const log = deps.log.child({ sessionKey: lease.sessionKey, turnId });
  const { metrics, publish } = deps;
  metrics.turnStarted();
  const stream = new ReplyStream({ lease, turnId, route, publish, ...(replyTo ? { replyTo } : {}) });
  let end: TurnEnd | undefined;
  try {
    const outcome = await follow(claimed, stream, signal, log, deps);
    if (outcome.status === "suspended") return "suspended";
    end = toEnd(claimed, outcome, signal);
    return end;
  } finally {
    stream.end(end?.outcome ?? "aborted");
    const durationMs = deps.clock.now() - startedAt;
    const outcome = end === undefined ? "suspended" : measured[end.outcome];
    deps.metrics.turnFinished(outcome, durationMs);
    if (end !== undefined) deps.metrics.stage("claimed_to_answered", durationMs);
    log.info({ durationMs, outcome, code: end?.reason }, "turn finished");
  }
}

async function follow(
  claimed: ClaimedTurn,
  stream: ReplyStream,
  signal: AbortSignal,
  log: Log,
  deps: TurnRunnerDeps,
): Promise<TurnOutcome> {
  const { lease, turnId } = claimed;
  const begun = readEntries(claimed.journal);
  const written: TranscriptEntry[] = [];
  const turn = runTurn(
    {
      turnId,
      sessionKey: lease.sessionKey,
      system: claimed.prompt,
      conversation: claimed.conversation,
      shared: claimed.conversation.kind !== "direct",
      history: readHistory(claimed.history, log),
      journal: begun,
      tools: await deps.toolsFor(claimed.route, begun),
      ...deps.limits,
      ...(claimed.isHurried ? { isHurried: true } : {}),
    },
    {
      model: deps.model,
      signal,
      clock: deps.clock,
      log,
      ...powersOf(deps, lease.sessionKey),
      steering: async (unwritten) => {
        const entries = readEntries(
          await deps.turns.steer(
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
        return entries;
      },
    },
  );
  let partialAt = deps.clock.now() + partialEveryMs;
  let deltas = 0;
  const begunAt = deps.clock.now();
  for (;;) {
    const { done, value } = await turn.next();
    if (done) {
      deps.metrics.streamed(deltas);
      return value;
    }
    switch (value.type) {
      case "text.delta":
        if (deltas === 0) deps.metrics.firstToken(deps.modelName, deps.clock.now() - begunAt);
        deltas += 1;
        stream.append(value.text);
        if (deps.clock.now() < partialAt) break;
        await deps.turns.savePartial(lease, turnId, stream.text);
        partialAt = deps.clock.now() + partialEveryMs;
        break;
      case "text.restart":
        stream.restart();
        break;
      case "status":
        stream.status(value.label);
        break;
      case "journal": {
        const asks = asksIn(
          value.entries,
          [...begun, ...written],
          { ...claimed, sessionKey: lease.sessionKey },
          deps.clock.now(),
        );
        if ((await deps.turns.append(lease, turnId, value.entries, asks)) !== undefined)
          deps.running.abort(lease.sessionKey, "spending_limit");
        written.push(...value.entries);
        if (asks.some(({ text }) => text !== undefined)) deps.deliver(claimed.route.accountId);
        countTools(value.entries, deps.metrics);
        break;
      }
      default:
        value satisfies never;
    }
  }
}

/** What tools may use, as far as it is there. */
function powersOf({ media, authorise, openWorkspace }: TurnRunnerDeps, sessionKey: SessionKey) {
  return {
    ...(media === undefined ? {} : { media }),
    ...(authorise === undefined ? {} : { authorise }),
    ...(openWorkspace === undefined ? {} : { openWorkspace: () => openWorkspace(sessionKey) }),
  };
}

function countTools(entries: readonly TranscriptEntry[], metrics: TurnMetrics): void {
  for (const entry of entries)
    if (entry.kind === "tool.result") metrics.toolCalled(entry.name, entry.isError ? "error" : "ok");
}

function toEnd(
  claimed: ClaimedTurn,
  outcome: Exclude<TurnOutcome, { status: "suspended" }>,
  signal: AbortSignal,
): TurnEnd | undefined {
  const { turnId } = claimed;
  switch (outcome.status) {
    case "completed":
      return {
        turnId,
        outcome: "completed",
        entries: outcome.final,
        outbox: [reply(claimed, outcome.markdown, outcome.parts)],
      };
    case "failed": {
      const { final: entries, code: reason, notice } = outcome;
      const text = reply(claimed, notice);
      const outbox = [answersItself.has(reason) ? text : { ...text, operational: { topic: "failed" as const } }];
      return { turnId, outcome: "failed", reason, entries, outbox };
    }
    case "aborted": {
      const reason: AbortReason = signal.reason;
      if (reason === "shutdown" || reason === "lost") return undefined;
      return { ...aborted(claimed, reason, outcome.partial), entries: outcome.final };
    }
    default:
      return outcome satisfies never;
  }
}

/** Why a limit ended a turn, for the people. A person who stopped it knows. */
const endings = { timeout: notices.timedOut, spending_limit: notices.spentMeanwhile } as const;

function aborted(claimed: ClaimedTurn, reason: CutShort, partial: string): TurnEnd {
  const told = reason in endings ? [partial, endings[reason as keyof typeof endings]] : [partial && `${partial} …`];
  const markdown = told.filter((text) => text !== "").join("\n\n");
  const topic = reason === "timeout" ? "failed" : "limit";
  const operational = { topic, otherwise: partial && `${partial} …` } as const;
  const text = { ...reply(claimed, markdown), ...(reason in endings ? { operational } : {}) };
  const outbox = markdown === "" ? [] : [text];
  const entries: readonly TranscriptEntry[] = [
    ...cancelledCalls(claimed.turnId, readEntries(claimed.journal)),
    { kind: "note", text: `the answer was cut short: ${reason}` },
  ];
  return { turnId: claimed.turnId, outcome: "aborted", reason, entries, outbox };
}

function reply(
  claimed: ClaimedTurn,
  markdown: string,
  { attachments = [], choices }: ReplyParts = {},
): TurnEnd["outbox"][number] {
  const { turnId, route, replyTo, lease } = claimed;
  return {
    deliveryKey: brandAs<DeliveryKey>(`reply:${turnId}`),
    kind: "reply",
    conversation: route,
    markdown,
    attachments,
    ...(choices === undefined ? {} : { choices: choices.options }),
    sessionKey: lease.sessionKey,
    turnId,
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

function readEntries(entries: readonly StoredEntry[]): readonly TranscriptEntry[] {
  return entries.map((entry) => transcriptEntrySchema.parse(entry));
}

/** An old entry that this release cannot read must not break the conversation: it is left out. */
function readHistory(entries: readonly StoredEntry[], log: Log): readonly TranscriptEntry[] {
  const parsed = entries.map((entry) => transcriptEntrySchema.safeParse(entry));
  const unreadable = parsed.filter(({ success }) => !success).length;
  if (unreadable > 0) log.error({ count: unreadable }, "entries that this release cannot read were left out");
  return parsed.flatMap(({ data }) => data ?? []);
}
