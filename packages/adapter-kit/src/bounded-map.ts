/** A map of at most `limit` entries. The one that was set longest ago goes first; setting an entry again makes it the newest. */
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
    if (this.size > this.#limit && !oldest.done) super.delete(oldest.value);
    return this;
  }
}
