import type { ErrorCode } from "@talaria/protocol";
import { Registry } from "prom-client";
import { boundedLabel } from "./bounded-labels.ts";
import { createInstruments, type Instruments } from "./instruments.ts";
import { watchLoop } from "./loop-delay.ts";
import { type MetricsSnapshot, snapshotOf } from "./snapshot.ts";

/** The stages between two marks in the life of a message. */
export type Stage = "received_to_recorded" | "recorded_to_claimed" | "claimed_to_answered" | "answered_to_delivered";

/** Tokens that the model read and that came from no cache, from the provider's cache, into it, and that it wrote. */
export type TokenKind = "input" | "cached" | "cache_write" | "output";

export type TurnOutcome = "answered" | "failed" | "stopped" | "suspended";

export interface MetricsOptions {
  /** `gateway`, `worker`: the label of every series. */
  readonly process: string;
  readonly version?: string;
}

/** What the process counts and measures. All calls are cheap and never throw; durations are in milliseconds. */
export interface Metrics {
  received(platform: string, account: string): void;
  recorded(account: string): void;
  duplicate(account: string): void;
  refused(account: string, reason: string): void;
  /** `kind` is the platform's name of what could not be read. */
  unreadable(account: string, kind: string): void;
  turnStarted(): void;
  /** `code`: why it failed. */
  turnFinished(outcome: TurnOutcome, durationMs: number, code?: string): void;
  firstToken(model: string, latencyMs: number): void;
  toolCalled(tool: string, outcome: "ok" | "error" | "refused" | "unknown"): void;
  /** What an answer of a model, by its name in the configuration, has used. `cost` in units of money; absent: unknown. */
  modelUsed(model: string, tokens: Readonly<Record<TokenKind, number>>, cost?: number): void;
  /** A request to a model, by its name in the configuration, failed with this kind of failure. */
  modelFailed(model: string, code: string): void;
  /** A spending limit kept so many events from being answered. */
  spendingRefused(scope: string, unit: string, events: number): void;
  /** How a conversation was gone through for facts. */
  passEnded(outcome: string): void;
  /** So many changes that its model proposed were not made. */
  factsDropped(changes: number): void;
  streamed(deltas: number): void;
  previewed(account: string): void;
  delivered(account: string): void;
  deliveryFailed(account: string, code: ErrorCode): void;
  outcomeUnknown(account: string): void;
  rateLimited(account: string, waitMs: number): void;
  stage(stage: Stage, durationMs: number): void;
  backlog(
    counts: Readonly<Record<"waitingEvents" | "oldestWaitingMs" | "pendingDeliveries" | "setAsideSessions", number>>,
  ): void;
  /** What keeps people from answers, and what else an operator has to mend, by kind: `model`, `account`, `worker` ... */
  problems(kinds: readonly string[], isAnswering: boolean): void;
  /** The state that replaces the account's former one; undefined when this process no longer holds the account. */
  connection(platform: string, account: string, status: string | undefined): void;
  /** Prometheus text of this process. Starts a new period for the loop delay, as `exportSnapshot` does. */
  text(): Promise<string>;
  /** Plain JSON for another process, which joins it with `mergeSnapshots`. */
  exportSnapshot(): Promise<MetricsSnapshot>;
  /** Ends the measuring of the loop delay. */
  close(): void;
}

const connectionStatuses = ["stopped", "connecting", "connected", "linking", "reconnecting", "needs-operator"];
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process: options.process });
  const instruments = createInstruments(registry);
  instruments.buildInfo.set({ version: options.version ?? "unknown", node: process.versions.node }, 1);
  // Whoever doesn't know of problems says nothing of them: a gauge without labels begins with 0.
  instruments.answering.remove();
  const loop = watchLoop();
  const readProcess = () => {
    const { median, high, longest } = loop.read();
    instruments.loopDelay.set({ quantile: "0.5" }, median);
    instruments.loopDelay.set({ quantile: "0.99" }, high);
    instruments.loopDelay.set({ quantile: "1" }, longest);
    instruments.residentMemory.set(process.memoryUsage.rss());
  };
  return {
    ...recorders(instruments, loop.stir),
    text: () => {
      readProcess();
      return registry.metrics();
    },
    exportSnapshot: () => {
      readProcess();
      return snapshotOf(registry);
    },
    close: loop.close,
  };
}

type Recorders = Omit<Metrics, "text" | "exportSnapshot" | "close">;

/** `stir` is called for what begins or ends work. */
function recorders(to: Instruments, stir: () => void): Recorders {
  const accounts = boundedLabel(200);
  const platforms = boundedLabel(20);
  const codes = boundedLabel(50);
  const kinds = boundedLabel(50);
  const models = boundedLabel(50);
  const tools = boundedLabel(100);
  const problemKinds = boundedLabel(20);
  const at = (account: string) => ({ account: accounts.of(account) });

  return {
    received: (platform, account) => {
      stir();
      to.received.inc({ ...at(account), platform: platforms.of(platform) });
    },
    recorded: (account) => to.recorded.inc(at(account)),
    duplicate: (account) => to.duplicates.inc(at(account)),
    refused: (account, reason) => to.refused.inc({ ...at(account), reason: codes.of(reason) }),
    unreadable: (account, kind) => to.unreadable.inc({ ...at(account), kind: kinds.of(kind) }),
    turnStarted: () => {
      stir();
      to.turnsStarted.inc();
    },
    turnFinished: (outcome, durationMs, code) => {
      to.turnsFinished.inc({ outcome });
      if (outcome === "failed" && code !== undefined) to.turnFailures.inc({ code: codes.of(code) });
      to.turnDuration.observe(seconds(durationMs));
    },
    firstToken: (model, latencyMs) => to.firstToken.observe({ model: models.of(model) }, seconds(latencyMs)),
    toolCalled: (tool, outcome) => to.toolCalls.inc({ tool: tools.of(tool), outcome }),
    modelUsed: (name, tokens, cost) => {
      const model = models.of(name);
      for (const [kind, count] of Object.entries(tokens)) to.modelTokens.inc({ model, kind }, notNegative(count));
      if (cost === undefined) to.unpricedAnswers.inc({ model });
      else to.modelCost.inc({ model }, notNegative(cost));
    },
    modelFailed: (model, code) => to.modelFailures.inc({ model: models.of(model), code: codes.of(code) }),
    spendingRefused: (scope, unit, events) => to.spendingRefused.inc({ scope, unit }, notNegative(events)),
    passEnded: (outcome) => to.passes.inc({ outcome }),
    factsDropped: (changes) => to.droppedFacts.inc(notNegative(changes)),
    streamed: (deltas) => {
      stir();
      to.deltas.inc(notNegative(deltas));
    },
    previewed: (account) => to.previews.inc(at(account)),
    delivered: (account) => to.delivered.inc(at(account)),
    deliveryFailed: (account, code) => to.deliveryFailures.inc({ ...at(account), code }),
    outcomeUnknown: (account) => to.unknownOutcomes.inc(at(account)),
    rateLimited: (account, waitMs) => {
      to.rateLimitWaits.inc(at(account));
      to.rateLimitSeconds.inc(at(account), seconds(waitMs));
    },
    stage: (stage, durationMs) => {
      stir();
      to.stages.observe({ stage }, seconds(durationMs));
    },
    backlog: ({ waitingEvents, oldestWaitingMs, pendingDeliveries, setAsideSessions }) => {
      to.waitingEvents.set(notNegative(waitingEvents));
      to.queueLag.set(seconds(oldestWaitingMs));
      to.pendingDeliveries.set(notNegative(pendingDeliveries));
      to.setAsideSessions.set(notNegative(setAsideSessions));
    },
    problems: (kinds, isAnswering) => {
      to.problems.reset();
      for (const kind of kinds) to.problems.inc({ kind: problemKinds.of(kind) });
      to.answering.set(isAnswering ? 1 : 0);
    },
    connection: (platform, account, status) => {
      const labels = { ...at(account), platform: platforms.of(platform) };
      for (const known of connectionStatuses) {
        if (status === undefined) to.connections.remove({ ...labels, status: known });
        else to.connections.set({ ...labels, status: known }, known === status ? 1 : 0);
      }
    },
  };
}

function seconds(milliseconds: number): number {
  return notNegative(milliseconds / 1_000);
}

/** Clocks of two machines differ, so a stage can seem to take less than no time; counters refuse that. */
function notNegative(value: number): number {
  return value > 0 && Number.isFinite(value) ? value : 0;
}
