/** Hands values from callbacks to one reader, in order. */
export class Mailbox<T> {
  readonly #values: T[] = [];
  #wake: (() => void) | undefined;

  put(value: T): void {
    this.#values.push(value);
    this.#wake?.();
  }

  async take(): Promise<T> {
    for (;;) {
      const [value] = this.#values.splice(0, 1);
      if (value !== undefined) return value;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
