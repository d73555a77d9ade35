import type { Clock } from "@talaria/protocol";

/** A wait that ends when somebody rings, when time is up, or when the signal is aborted; a ring is kept for the next wait. */
export class Alarm {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Never rejects and leaves no timer. Without `ms` only a ring or the signal ends it. */
  async wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiting = new AbortController();
      const end = () => {
        waiting.abort();
        resolve();
      };
      this.#wake = end;
      signal.addEventListener("abort", end, { once: true });
      if (ms !== undefined) this.#clock.sleep(ms, waiting.signal).then(resolve, () => undefined);
      await promise;
      signal.removeEventListener("abort", end);
      this.#wake = undefined;
    }
    this.#rung = false;
  }
}
