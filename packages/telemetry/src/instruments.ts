import { Counter, Gauge, Histogram, type Registry } from "prom-client";

const turnBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const stageBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const firstTokenBuckets = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120];

export type Instruments = ReturnType<typeof createInstruments>;

/** Every metric, under the name that dashboards use. In seconds and bytes, as is usual in Prometheus. */
export function createInstruments(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `talaria_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `talaria_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name: `talaria_${name}`, help, buckets, labelNames, registers });

  return {
    received: counter("events_received_total", "Events that adapters handed over.", "platform", "account"),
    recorded: counter("events_recorded_total", "Events committed for a session.", "account"),
    duplicates: counter("events_duplicate_total", "Events that were known already.", "account"),
    refused: counter("events_refused_total", "Events that no session gets, by reason.", "account", "reason"),
    unreadable: counter(
      "events_unreadable_total",
      "Events of a known kind that could not be read, by kind.",
      "account",
      "kind",
    ),
    turnsStarted: counter("turns_started_total", "Turns begun or resumed."),
    turnsFinished: counter("turns_finished_total", "Turns ended, by outcome.", "outcome"),
    turnFailures: counter("turn_failures_total", "Turns that failed, by the code that people were told of.", "code"),
    turnDuration: histogram("turn_duration_seconds", "From the start of a turn to its commit.", turnBuckets),
    firstToken: histogram(
      "model_first_token_seconds",
      "Time to the first part of an answer.",
      firstTokenBuckets,
      "model",
    ),
    toolCalls: counter("tool_calls_total", "Tool calls, by outcome.", "tool", "outcome"),
    modelTokens: counter(
      "model_tokens_total",
      "Tokens by kind: input (from no cache), cached, cache_write, output.",
      "model",
      "kind",
    ),
    modelCost: counter("model_cost_total", "What answers have cost, in the configured currency.", "model"),
    unpricedAnswers: counter(
      "model_unpriced_answers_total",
      "Answers whose cost is unknown, since their model has no price.",
      "model",
    ),
    modelFailures: counter(
      "model_failures_total",
      "Requests to models that failed, by code; those that were tried again count, too.",
      "model",
      "code",
    ),
    spendingRefused: counter(
      "spending_refused_events_total",
      "Events that were not answered because a spending limit was reached.",
      "scope",
      "unit",
    ),
    passes: counter("memory_passes_total", "Conversations that were gone through for facts, by outcome.", "outcome"),
    droppedFacts: counter(
      "memory_dropped_changes_total",
      "Changes of facts that a pass proposed and that were not made.",
    ),
    deltas: counter("reply_deltas_total", "Parts of replies that were streamed."),
    previews: counter("reply_previews_total", "Previews written to platforms.", "account"),
    delivered: counter("messages_delivered_total", "Messages that a platform confirmed.", "account"),
    deliveryFailures: counter("delivery_failures_total", "Failed attempts to deliver, by code.", "account", "code"),
    unknownOutcomes: counter(
      "delivery_unknown_outcomes_total",
      "Attempts that may or may not have arrived.",
      "account",
    ),
    rateLimitWaits: counter("rate_limit_waits_total", "Times a platform's limit made us wait.", "account"),
    rateLimitSeconds: counter("rate_limit_wait_seconds_total", "Time spent waiting for platforms' limits.", "account"),
    stages: histogram(
      "stage_duration_seconds",
      "How long each stage of a message's life takes.",
      stageBuckets,
      "stage",
    ),
    queueLag: gauge("queue_lag_seconds", "Age of the oldest event that waits for a turn."),
    waitingEvents: gauge("waiting_events", "Events that wait for a turn."),
    pendingDeliveries: gauge("pending_deliveries", "Messages that wait to be delivered."),
    setAsideSessions: gauge("set_aside_sessions", "Sessions that were given up and have answered nothing since."),
    problems: gauge("problems", "What an operator has to mend now, by kind.", "kind"),
    answering: gauge("answering", "1 unless a problem keeps people from answers."),
    connections: gauge("account_connection", "1 for the state that an account is in.", "platform", "account", "status"),
    loopDelay: gauge("event_loop_delay_seconds", "Delay of the event loop since the last reading.", "quantile"),
    residentMemory: gauge("resident_memory_bytes", "Resident memory of the process."),
    buildInfo: gauge("build_info", "Always 1; the labels say what runs.", "version", "node"),
  };
}
