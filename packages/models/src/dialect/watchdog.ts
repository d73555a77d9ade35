import type { Clock } from "@talaria/protocol";

/** Bites once when nobody has stroked it for `silenceMs`. Stroking is only an assignment, so do it for every chunk. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #stopped = new AbortController();
  #lastSign: number;

  constructor(clock: Clock, silenceMs: number, bite: () => void) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#lastSign = clock.elapsed();
    void this.#watch(bite);
  }

  stroke(): void {
    this.#lastSign = this.#clock.elapsed();
  }

  /** With a reason, since making one up costs more than all the rest. */
  stop(): void {
    this.#stopped.abort("stopped");
  }

  async #watch(bite: () => void): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const restMs = this.#lastSign + this.#silenceMs - this.#clock.elapsed();
      if (restMs <= 0) return bite();
      await this.#clock.sleep(restMs, signal).catch(() => undefined);
    }
  }
}
