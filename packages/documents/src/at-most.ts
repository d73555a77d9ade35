/** Lets so many pieces of work run at once; the others wait in order, until their signal ends that. */
export class AtMost {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.#running >= this.#most) await this.#turn(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Resolves with the place of somebody who is done. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(begin);
        reject(signal.reason);
      };
      const begin = () => {
        this.#waiting.delete(begin);
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      this.#waiting.add(begin);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
