import type { Clock, Log } from "@talaria/protocol";
import type { ModelDone, ModelEvent, ModelFailure, ModelFailureKind, ModelPort, ModelRequest } from "./model.ts";
import { readUntilAborted } from "./read-until-aborted.ts";

const shortestPauseMs = 500;
/** How long the pause before each further attempt may be. */
const longestPausesMs = [2_000, 8_000];
const longestPolitePauseMs = 5_000;
const worthAnotherTry: ReadonlySet<ModelFailureKind> = new Set([
  "overloaded",
  "server_error",
  "network",
  "truncated",
  "stalled",
]);
const onceMore: ReadonlySet<ModelFailureKind> = new Set(["rate_limit", "stalled"]);

export interface RetryDeps {
  readonly clock: Clock;
  /** A number from 0 up to 1, for the jitter. */
  random(): number;
  readonly log: Log;
}

/**
 * The same model with its passing troubles retried: overload, network and cut streams twice with growing, jittered pauses; a
 * silent one once, since a silence takes minutes; a rate limit once, when it ends within 5 s. Yields `restart` before an attempt
 * whose predecessor had shown text. Also holds the model to its contract: an exception becomes `failed`, a stream without an
 * end `truncated`, and an abort ends at once with `aborted`, even when the model ignores it.
 */
export function withRetries(model: ModelPort, { clock, random, log }: RetryDeps): ModelPort {
  return {
    async *stream(request, signal) {
      let backoffs = 0;
      const met = new Set<ModelFailureKind>();
      for (;;) {
        const failure: ModelFailure | undefined = yield* attempt(model, request, signal, log);
        if (failure === undefined) return;
        const pauseMs = pauseBefore(failure, met, backoffs, random);
        if (pauseMs === undefined) {
          yield { type: "failed", error: failure };
          return;
        }
        met.add(failure.kind);
        if (failure.kind !== "rate_limit") backoffs += 1;
        log.warn({ code: failure.kind, durationMs: pauseMs, reason: failure.message }, "model will be asked again");
        await clock.sleep(pauseMs, signal).catch(() => undefined);
        if (signal.aborted) {
          yield { type: "failed", error: { ...failure, kind: "aborted" } };
          return;
        }
        if (failure.visible) yield { type: "restart" };
      }
    },
  };
}

/** Hands on one attempt's events; returns its failure, or nothing after `done`. */
async function* attempt(
  model: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
  log: Log,
): AsyncGenerator<ModelEvent, ModelFailure | undefined> {
  let visible = false;
  try {
    for await (const event of readUntilAborted(model.stream(request, signal), signal)) {
      if (event.type === "failed") {
        const kind = event.error.kind === "aborted" && !signal.aborted ? "network" : event.error.kind;
        return { ...event.error, kind, visible: visible || event.error.visible };
      }
      if (event.type === "delta") visible = true;
      if (event.type === "restart") visible = false;
      yield event;
      if (isDone(event)) return undefined;
    }
  } catch (error) {
    log.error({ error }, "model threw instead of reporting a failure");
    return { kind: "bad_request", message: "the model's code threw an error", visible };
  }
  if (signal.aborted) return { kind: "aborted", message: "the answer was stopped", visible };
  return { kind: "truncated", message: "the model ended without an end", visible };
}

function isDone(event: ModelEvent): event is ModelDone {
  return event.type === "done";
}

function pauseBefore(
  failure: ModelFailure,
  met: ReadonlySet<ModelFailureKind>,
  backoffs: number,
  random: () => number,
): number | undefined {
  if (failure.exhausted || (onceMore.has(failure.kind) && met.has(failure.kind))) return undefined;
  if (failure.kind === "rate_limit") {
    const pauseMs = failure.retryAfterMs;
    return pauseMs === undefined || pauseMs > longestPolitePauseMs ? undefined : pauseMs;
  }
  const longestMs = longestPausesMs[backoffs];
  if (!worthAnotherTry.has(failure.kind) || longestMs === undefined) return undefined;
  return Math.round(shortestPauseMs + random() * (longestMs - shortestPauseMs));
}
