/** Remembers the last ids it was told, up to `limit`. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const oldest = this.#ids.values().next();
    if (this.#ids.size > this.#limit && !oldest.done) this.#ids.delete(oldest.value);
  }
}
