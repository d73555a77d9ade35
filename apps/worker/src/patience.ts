import { backoffMs, type Clock, isGatewayError, type Log } from "@talaria/protocol";

/** How long the database may be away before a turn is given up. It is resumed from its journal then, once the database is back. */
const patienceMs = 60_000;
const pause = { firstMs: 100, longestMs: 2_000 };

/**
 * Does `work`, and does it again while the database is away and this process goes on, for a minute at most. So `work` must do
 * nothing a second time that was done: `isAgain` says that an attempt came before, whose answer may have been lost. Rejects with what
 * the last attempt rejected with, at once when that is not `unavailable`, such as a lease that is lost.
 */
export type Patience = <Result>(work: (isAgain: boolean) => Promise<Result>) => Promise<Result>;

export interface PatienceDeps {
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
  readonly running: { readonly closed: boolean };
  readonly log: Log;
}

/** Keeps what a worker knows while the database is away for a moment, instead of giving its turn up. */
export function createPatience({ clock, running, log }: PatienceDeps): Patience {
  return async (work) => {
    const until = clock.elapsed() + patienceMs;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await work(attempts > 1);
      } catch (error) {
        if (!isGatewayError(error, "unavailable") || running.closed || clock.elapsed() >= until) throw error;
        if (attempts === 1) log.warn({ error }, "the database is away: a turn waits for it");
        await clock.sleep(backoffMs(attempts, pause, 1));
      }
    }
  };
}
