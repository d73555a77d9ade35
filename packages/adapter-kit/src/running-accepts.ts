/** Remembers work that has begun, so that `stop` can wait for it. */
export class RunningAccepts {
  readonly #running = new Set<Promise<unknown>>();

  /** Hands the promise through. */
  track<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.then(
      () => this.#running.delete(settled),
      () => this.#running.delete(settled),
    );
    this.#running.add(settled);
    return work;
  }

  /** Resolves when nothing runs any more, also what began during the wait. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
