import { type ModelEvent, type ModelFailure, type ModelFailureKind, type ModelPort, withRetries } from "@talaria/agent";
import { backoffMs, type Clock, type Log } from "@talaria/protocol";

export interface NamedModel {
  /** The name in the configuration. */
  readonly name: string;
  readonly model: ModelPort;
}

export interface FailoverDeps {
  readonly clock: Clock;
  /** A number from 0 up to 1, for the jitter of retries. */
  random(): number;
  readonly log: Log;
}

interface CoolDown {
  untilMs: number;
  /** Failures since the last success. */
  failures: number;
}

const minuteMs = 60_000;
const growing = { firstMs: minuteMs / 2, longestMs: 10 * minuteMs };
/** A model whose cool-down is over gets one request to prove itself; the others pass it by for this long. */
const probeMs = minuteMs / 2;

/** What the next model may be able to do better. Everything else is told at once: it would fail everywhere. */
const worthAnother: ReadonlySet<ModelFailureKind> = new Set([
  "auth",
  "quota",
  "rate_limit",
  "overloaded",
  "network",
  "truncated",
  "stalled",
  "not_found",
]);

/**
 * Asks the first model, and the next one when it can't answer, with the retries of `withRetries` for each. A model
 * that failed is left alone for a while: for as long as it asked, or 30 s doubling to 10 minutes. Yields `restart`
 * before another model answers in place of one that had shown text. Cool-downs live in this process only.
 */
export function createFailover(models: readonly NamedModel[], { clock, random, log }: FailoverDeps): ModelPort {
  const rests = new CoolDowns(clock);
  const candidates = models.map(({ name, model }) => ({ name, model: withRetries(model, { clock, random, log }) }));
  return {
    async *stream(request, signal) {
      let failure: ModelFailure = { kind: "bad_request", message: "no model is configured", visible: false };
      for (const { name, model } of rests.inOrder(candidates)) {
        if (failure.visible) yield { type: "restart" };
        rests.reserveProbe(name);
        const failed: ModelFailure | undefined = yield* attempt(model.stream(request, signal));
        if (failed === undefined) return rests.end(name);
        failure = failed;
        if (failure.kind === "aborted") break;
        if (!worthAnother.has(failure.kind)) {
          rests.end(name);
          break;
        }
        rests.begin(name, failure);
        log.warn({ model: name, code: failure.kind, reason: failure.message }, "model failed and rests");
      }
      yield { type: "failed", error: { ...failure, exhausted: true } };
    },
  };
}

/** Hands on one model's events; returns its failure, or nothing after `done`. */
async function* attempt(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, ModelFailure | undefined> {
  for await (const event of events) {
    if (event.type === "failed") return event.error;
    yield event;
  }
  return undefined;
}

/** Which models are left alone, and until when. */
class CoolDowns {
  readonly #clock: Clock;
  readonly #byName = new Map<string, CoolDown>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those that may be asked, as configured; when all rest, all of them, the one that wakes first in front. */
  inOrder(candidates: readonly NamedModel[]): readonly NamedModel[] {
    const wakesAt = ({ name }: NamedModel) => this.#byName.get(name)?.untilMs ?? 0;
    const now = this.#clock.now();
    const awake = candidates.filter((candidate) => wakesAt(candidate) <= now);
    return awake.length > 0 ? awake : candidates.toSorted((one, other) => wakesAt(one) - wakesAt(other));
  }

  reserveProbe(name: string): void {
    const coolDown = this.#byName.get(name);
    if (coolDown !== undefined) coolDown.untilMs = Math.max(coolDown.untilMs, this.#clock.now() + probeMs);
  }

  begin(name: string, failure: ModelFailure): void {
    const failures = (this.#byName.get(name)?.failures ?? 0) + 1;
    this.#byName.set(name, { failures, untilMs: this.#clock.now() + restMs(failure, failures) });
  }

  end(name: string): void {
    this.#byName.delete(name);
  }
}

function restMs(failure: ModelFailure, failures: number): number {
  switch (failure.kind) {
    case "quota":
      return 60 * minuteMs;
    case "auth":
    case "not_found":
      return 10 * minuteMs;
    case "rate_limit":
      return failure.retryAfterMs ?? minuteMs;
    default:
      return backoffMs(failures, growing, 1);
  }
}
