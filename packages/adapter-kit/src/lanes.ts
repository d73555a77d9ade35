import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import pLimit from "p-limit";
import { untilTaken } from "./hand-over.ts";

/** Tasks of all channels together, with those that run. */
const mostWaiting = 1_000;
/** Tasks of `addOnce` that run at the same time, in all channels: each may hold a page of messages. */
const mostFetching = 8;

export interface LanesDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Decides the jitter of the waits. */
  readonly seed: string;
}

type Task = (signal: AbortSignal) => Promise<void>;

/**
 * One queue per channel: its tasks run one after another, and a task that fails is tried again until it succeeds or the
 * lanes are closed. Channels do not wait for each other. At most a thousand tasks wait.
 */
export class Lanes {
  readonly #deps: LanesDeps;
  readonly #closing = new AbortController();
  readonly #tails = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #notBegun = new Set<string>();
  readonly #fetching = pLimit(mostFetching);

  constructor(deps: LanesDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the task has succeeded. What is added again while it waits or runs is done once. Rejects with
   * `unavailable` when too much waits already or the lanes close.
   */
  add(channel: string, key: string, task: Task): Promise<void> {
    const same = this.#waiting.get(key);
    if (same !== undefined) return same;
    if (this.#closing.signal.aborted || this.#waiting.size >= mostWaiting) return Promise.reject(notNow());
    const work = this.#queue(channel, () => this.#run(channel, task)).finally(() => this.#waiting.delete(key));
    this.#waiting.set(key, work);
    return work;
  }

  /**
   * The same for a task of which one is enough, such as fetching all that a channel missed: nothing happens when one of
   * the same key has not begun yet, and it is not refused when too much waits. Keys have to be few. Eight run at a time.
   */
  addOnce(channel: string, key: string, task: Task): void {
    if (this.#closing.signal.aborted || this.#notBegun.has(key)) return;
    this.#notBegun.add(key);
    const run = () => {
      this.#notBegun.delete(key);
      return this.#run(channel, (signal) => this.#fetching(() => task(signal)));
    };
    this.#queue(channel, run).catch(() => undefined);
  }

  /** Starts nothing more and resolves when what runs has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }

  #queue(channel: string, run: () => Promise<void>): Promise<void> {
    const work = (this.#tails.get(channel) ?? Promise.resolve()).then(run);
    const tail = work
      .catch(() => undefined)
      .then(() => {
        if (this.#tails.get(channel) === tail) this.#tails.delete(channel);
      });
    this.#tails.set(channel, tail);
    return work;
  }

  async #run(channel: string, task: Task): Promise<void> {
    const { signal } = this.#closing;
    const offer = { ...this.#deps, seed: `${this.#deps.seed}/${channel}`, about: { conversationId: channel } };
    try {
      return await untilTaken(() => task(signal), offer, signal);
    } catch (error) {
      throw notNow(error);
    }
  }
}

function notNow(cause?: unknown): GatewayError {
  return new GatewayError("an event cannot be taken now", { code: "unavailable", effect: "none", cause });
}
