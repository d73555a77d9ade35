import type { Clock } from "@talaria/protocol";

/** Time passes when it is told to. */
export class SteppedClock implements Clock {
  #ms = 0;
  readonly #sleeping = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return this.#ms;
  }

  elapsed(): number {
    return this.#ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const one = { until: this.#ms + ms, wake: resolve };
      this.#sleeping.add(one);
      signal?.addEventListener("abort", () => this.#sleeping.delete(one) && reject(signal.reason), { once: true });
    });
  }

  async pass(ms: number): Promise<void> {
    await settled();
    for (let left = ms; left > 0; left -= 100) {
      this.#ms += 100;
      for (const one of this.#sleeping) if (one.until <= this.#ms && this.#sleeping.delete(one)) one.wake();
      await settled();
    }
  }
}

/** Everything that waits for no time has happened. */
export async function settled(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
