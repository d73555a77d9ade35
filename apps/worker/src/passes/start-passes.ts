import { isGatewayError, type Log, type ProcessId } from "@talaria/protocol";
import type { TurnMetrics } from "../turn-metrics.ts";
import { type PassDeps, runPass } from "./run-pass.ts";

/** Between looks that found nothing, before jitter. */
const quietMs = 5_000;

export interface PassesOptions extends PassDeps {
  readonly workerId: ProcessId;
  /** How often one conversation is gone through in a day, at most. */
  readonly perDay: number;
  readonly metrics: PassDeps["metrics"] & Pick<TurnMetrics, "passEnded">;
  readonly random: () => number;
  readonly log: Log;
}

export interface Passes {
  /** A worker has died: what it was at may be taken over. */
  lookNow(): void;
  /** What is under way is given back, for another worker to begin anew. */
  stop(): Promise<void>;
}

/** Goes through conversations that are over, one at a time, beside the turns and without a slot of theirs. */
export function startPasses(options: PassesOptions): Passes {
  const { clock, random } = options;
  const ending = new AbortController();
  let nap = new AbortController();
  const work = async () => {
    while (!ending.signal.aborted) {
      if (await goThroughOne(options, ending.signal)) continue;
      nap = new AbortController();
      await clock
        .sleep(quietMs * (0.5 + random()), AbortSignal.any([nap.signal, ending.signal]))
        .catch(() => undefined);
    }
  };
  const ended = work();
  return {
    lookNow: () => nap.abort(),
    stop: async () => {
      ending.abort();
      await ended;
    },
  };
}

/** Whether there was one. */
async function goThroughOne(options: PassesOptions, signal: AbortSignal): Promise<boolean> {
  const { passes, workerId, perDay, metrics, log } = options;
  try {
    const found = await passes.claim(workerId, perDay);
    if (found === undefined) return false;
    if ("givenUp" in found) {
      log.warn({ sessionKey: found.givenUp }, "not gone through for facts: each go has ended before its time");
      metrics.passEnded("given_up");
      return true;
    }
    metrics.passEnded(await runPass(found, options, signal));
    return true;
  } catch (error) {
    // Somebody has deleted the conversation, or another worker has it.
    if (isGatewayError(error, "conflict")) return false;
    log.warn({ error }, "a conversation was not gone through for facts");
    return false;
  }
}
