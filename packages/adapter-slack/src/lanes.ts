import { backoffMs, type Patience } from "@talaria/adapter-kit";
import { type Clock, GatewayError, isGatewayError, type Log } from "@talaria/protocol";

/** The wait before something is tried again that the host or Slack did not take. */
const retryPatience: Patience = { firstMs: 500, longestMs: 30_000, stableMs: 0 };
/** More than this is left to Slack, which comes again. */
const mostWaiting = 1_000;

export interface LanesDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly seed: string;
}

type Task = (signal: AbortSignal) => Promise<void>;

/**
 * One queue per channel: its tasks run one after another, and a task that fails is tried again until it succeeds or the
 * lanes are closed. Channels do not wait for each other. What is added again while it waits is done once.
 */
export class Lanes {
  readonly #deps: LanesDeps;
  readonly #closing = new AbortController();
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(deps: LanesDeps) {
    this.#deps = deps;
  }

  /** Resolves when the task has succeeded. Rejects with `unavailable` when too much waits already or the lanes close. */
  add(channel: string, key: string, task: Task): Promise<void> {
    const same = this.#waiting.get(key);
    if (same !== undefined) return same;
    if (this.#closing.signal.aborted || this.#waiting.size >= mostWaiting) return Promise.reject(notNow());
    const work = (this.#tails.get(channel) ?? Promise.resolve()).then(() => this.#run(channel, task));
    const tail = work
      .catch(() => undefined)
      .then(() => {
        this.#waiting.delete(key);
        if (this.#tails.get(channel) === tail) this.#tails.delete(channel);
      });
    this.#waiting.set(key, work);
    this.#tails.set(channel, tail);
    return work;
  }

  /** Starts nothing more and resolves when what runs has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  async #run(channel: string, task: Task): Promise<void> {
    const { clock, log, seed } = this.#deps;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      try {
        return await task(signal);
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        log.warn({ conversationId: channel, failures, error }, "an event was not recorded and is tried again");
        const asked = isGatewayError(error) ? (error.retryAfterMs ?? 0) : 0;
        const pauseMs = Math.max(asked, backoffMs(failures, retryPatience, `${seed}/${channel}`));
        await clock.sleep(pauseMs, signal).catch(() => undefined);
      }
    }
    throw notNow();
  }
}

function notNow(): GatewayError {
  return new GatewayError("an event cannot be taken now", { code: "unavailable", effect: "none" });
}
