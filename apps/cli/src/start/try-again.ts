import { setTimeout as sleep } from "node:timers/promises";

// Stays in memory all day with the supervisor: it loads nothing else.

/** Pauses between attempts double from the first to the last value; all attempts take about two minutes. */
const pauseMs = { first: 1_000, last: 5_000 };
const attempts = 26;

/** A failure that passes by itself. `reason` is one sentence that names the remedy. */
export class PassingFailure extends Error {
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

export interface TryAgainOptions {
  /** Why a failure is worth waiting for; undefined: it does not pass by itself. Default: that of a `PassingFailure`. */
  readonly reasonOf?: (error: unknown) => string | undefined;
  /** Told once for each reason what is waited for. */
  readonly say: (line: string) => void;
  /** Cuts a pause short; the last failure is thrown then. */
  readonly signal?: AbortSignal;
  /** Waits so many ms. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Does `work` again while it fails for a reason that passes by itself, 26 times at most. Rejects with what `work` threw if it does not
 * pass, else with a sentence that names the remedy.
 */
export async function tryAgain<Result>(work: () => Promise<Result>, options: TryAgainOptions): Promise<Result> {
  const { reasonOf = reasonOfPassing, say, signal } = options;
  const { pause = (ms) => sleep(ms, undefined, { signal }).catch(() => undefined) } = options;
  let said: string | undefined;
  for (let attempt = 1, ms = pauseMs.first; ; attempt += 1, ms = Math.min(ms * 2, pauseMs.last)) {
    try {
      return await work();
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined || signal?.aborted) throw error;
      if (attempt === attempts) throw new Error(`${reason} (tried ${attempts} times)`, { cause: error });
      if (reason !== said) say(`waiting: ${reason}`);
      said = reason;
      await pause(ms);
      if (signal?.aborted) throw error;
    }
  }
}

function reasonOfPassing(error: unknown): string | undefined {
  return error instanceof PassingFailure ? error.reason : undefined;
}
