import type { Clock, Log, SessionKey } from "@talaria/protocol";
import type { Connections } from "./connections.ts";
import { within } from "./deadline.ts";
import { messageOf } from "./failures.ts";
import type { Consumer } from "./ports.ts";

const closeMs = 2_000;

export interface ConsumerDeps {
  readonly connections: Pick<Connections, "createWorker">;
  /** Wakes another worker for a session that came too late for this one. */
  readonly wake: (sessionKey: SessionKey) => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
}

/** Runs `run` for each wake-up, at most `concurrency` at a time. */
export function startConsumer(
  { connections, wake, log, clock }: ConsumerDeps,
  run: (sessionKey: SessionKey) => Promise<void>,
  concurrency: number,
): Consumer {
  const inProgress = new Set<Promise<void>>();
  const graceIsOver = Promise.withResolvers<void>();
  let drained: Promise<void> | undefined;

  /** Never rejects: a failed wake-up would help nobody, since the inbox alone says what is left to do. */
  async function process(sessionKey: SessionKey): Promise<void> {
    if (drained !== undefined) return await handOn(sessionKey);
    const running = Promise.race([runLogged(sessionKey), graceIsOver.promise]);
    inProgress.add(running);
    await running;
    inProgress.delete(running);
  }

  async function runLogged(sessionKey: SessionKey): Promise<void> {
    try {
      await run(sessionKey);
    } catch (error) {
      log.error({ sessionKey, error }, "run of a woken session failed");
    }
  }

  /** What was being fetched when the drain began, and what came during a run. */
  async function handOn(sessionKey: SessionKey): Promise<void> {
    await wake(sessionKey).catch((error: unknown) => {
      log.debug({ sessionKey, reason: messageOf(error) }, "wake-up is left to the sweeper");
    });
  }

  const worker = connections.createWorker(process, concurrency);
  worker.run().catch((error: unknown) => log.error({ error }, "consumer of wake-ups stopped"));

  /** Runs that go on after the grace are given up, so that later wake-ups of their sessions are not swallowed. */
  async function drain(graceMs: number): Promise<void> {
    const closed = worker.close();
    const finished = Promise.all(inProgress);
    await within(finished, graceMs, clock, "work is still in progress").catch((error: unknown) =>
      log.warn({ sessions: inProgress.size, graceMs, reason: messageOf(error) }, "drain ends early"),
    );
    graceIsOver.resolve();
    await within(closed, closeMs, clock, "the queue does not answer").catch((error: unknown) =>
      log.warn({ reason: messageOf(error) }, "consumer did not close in good order"),
    );
  }

  return {
    drain(graceMs) {
      drained ??= drain(graceMs);
      return drained;
    },
  };
}
