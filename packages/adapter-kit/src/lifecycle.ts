import type { AdapterHost } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import type { LifecycleOptions, Opened } from "./lifecycle-options.ts";
import { RunningStart } from "./running-start.ts";

/**
 * Start, stop and what lies between, for every adapter:
 *
 * - `start` resolves at the first state that is not `connecting`, and rejects when an operator has to act at once. It waits
 *   for a stop that is running. A second one without a stop is a `conflict`.
 * - `stop` ends the connection, then what `open` opened, waits for the host's calls and reports `stopped`, once. A second one
 *   resolves with the first. After that no call reaches the host.
 */
export class Lifecycle<Run extends Opened> {
  readonly #options: LifecycleOptions<Run>;
  #start: RunningStart<Run> | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: LifecycleOptions<Run>) {
    this.#options = options;
  }

  /** What is open now: undefined before a start has opened it, and from the begin of a stop. */
  get running(): Run | undefined {
    return this.#start?.opened;
  }

  /** The same, for calls that need it. Throws `unavailable`, with no effect. */
  demand(): Run {
    if (this.running !== undefined) return this.running;
    throw new GatewayError("the account is not connected", { code: "unavailable", effect: "none" });
  }

  /** A call has reached the platform: where the connection is thought to be lost, it is tried again now. */
  hurry(): void {
    this.#start?.hurry();
  }

  async start(host: AdapterHost): Promise<void> {
    if (this.#start !== undefined) throw new GatewayError("the account is started already", { code: "conflict" });
    const start = new RunningStart(host, this.#options);
    this.#start = start;
    await this.#stopped.catch(() => undefined);
    try {
      await start.begin();
    } catch (error) {
      // Nothing is open, so there is nothing to stop.
      if (this.#start === start && start.opened === undefined) this.#start = undefined;
      throw error;
    }
  }

  stop(): Promise<void> {
    const start = this.#start;
    this.#start = undefined;
    if (start !== undefined) {
      start.abort();
      this.#stopped = this.#stopped.catch(() => undefined).then(() => start.end());
    }
    return this.#stopped;
  }
}
