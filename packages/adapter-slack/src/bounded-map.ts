/** A map that forgets its oldest entry when a new one would exceed the limit. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: Key, value: Value): this {
    super.delete(key);
    super.set(key, value);
    const oldest = this.keys().next();
    if (this.size > this.#limit && !oldest.done) this.delete(oldest.value);
    return this;
  }
}
