import type { Clock } from "@talaria/protocol";

/** How long a call has run, without what it has waited for people. */
export class CallTime {
  readonly #clock: Pick<Clock, "elapsed" | "sleep">;
  readonly #startedAt: number;
  #waits = 0;
  #waitingSince = 0;
  #waitedMs = 0;
  #resumed = Promise.withResolvers<void>();

  constructor(clock: Pick<Clock, "elapsed" | "sleep">) {
    this.#clock = clock;
    this.#startedAt = clock.elapsed();
  }

  /** Whether somebody is asked just now. */
  get stands(): boolean {
    return this.#waits > 0;
  }

  /** Resolves when the call has run for so long; rejects when the signal is aborted first. */
  async over(limitMs: number, signal: AbortSignal): Promise<void> {
    for (let left = limitMs; left > 0; ) {
      const before = this.#waited();
      await this.#clock.sleep(left, signal);
      const waited = this.#waited();
      left = Math.min(waited - before, limitMs - (this.#clock.elapsed() - this.#startedAt - waited));
      while (this.#waits > 0 && !signal.aborted) await this.#resumed.promise;
    }
  }

  /** The time stands still while this runs. */
  async untimed<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waits === 0) {
      this.#waitingSince = this.#clock.elapsed();
      this.#resumed = Promise.withResolvers();
    }
    this.#waits += 1;
    try {
      return await work();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) {
        this.#waitedMs += this.#clock.elapsed() - this.#waitingSince;
        this.#resumed.resolve();
      }
    }
  }

  #waited(): number {
    return this.#waitedMs + (this.#waits === 0 ? 0 : this.#clock.elapsed() - this.#waitingSince);
  }
}
