import { backoffMs, type Patience } from "@talaria/adapter-kit";
import { type Clock, isGatewayError, type Log } from "@talaria/protocol";

/** The wait before something is tried again that the host or Discord did not take. */
const retryPatience: Patience = { firstMs: 500, longestMs: 30_000, stableMs: 0 };

export interface LanesDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly seed: string;
}

type Task = (signal: AbortSignal) => Promise<void>;

/**
 * One queue per channel: its tasks run one after another, and a task that fails is tried again until it succeeds or the
 * lanes are closed. Channels do not wait for each other.
 */
export class Lanes {
  readonly #deps: LanesDeps;
  readonly #closing = new AbortController();
  readonly #tails = new Map<string, Promise<void>>();

  constructor(deps: LanesDeps) {
    this.#deps = deps;
  }

  add(channelId: string, task: Task): void {
    const tail = (this.#tails.get(channelId) ?? Promise.resolve()).then(() => this.#run(channelId, task));
    this.#tails.set(channelId, tail);
    void tail.then(() => {
      if (this.#tails.get(channelId) === tail) this.#tails.delete(channelId);
    });
  }

  /** Starts nothing more and resolves when what runs has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  async #run(channelId: string, task: Task): Promise<void> {
    const { clock, log, seed } = this.#deps;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      try {
        return await task(signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        log.warn({ channelId, failures, error }, "an event was not taken in and is tried again");
        const asked = isGatewayError(error) ? (error.retryAfterMs ?? 0) : 0;
        const pauseMs = Math.max(asked, backoffMs(failures, retryPatience, `${seed}/${channelId}`));
        await clock.sleep(pauseMs, signal).catch(() => undefined);
      }
    }
  }
}
