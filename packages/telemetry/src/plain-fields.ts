type Fields = Readonly<Record<string, unknown>>;

const maxDepth = 6;
const maxItems = 50;
const maxTextLength = 8_192;

/**
 * Copies log fields into plain JSON of bounded size: errors with their causes, bytes as a count, nothing circular.
 * `hide` takes secrets out of a text before it is cut, since half a secret could not be recognised later.
 * Never throws, even if a getter or `toJSON` does.
 */
export function plainFields(fields: Fields, hide: (text: string) => string): Record<string, unknown> {
  return new Plainer(hide).mapping(fields, 0);
}

class Plainer {
  readonly #hide: (text: string) => string;

  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  /** A getter that throws costs its own value only. */
  mapping(value: object, depth: number): Record<string, unknown> {
    const keys = Object.keys(value);
    const kept = keys.slice(0, maxItems).map((key) => [this.#cut(key), this.#property(value, key, depth + 1)]);
    if (keys.length > maxItems) kept.push(["more", `${keys.length - maxItems} further keys`]);
    return Object.fromEntries(kept);
  }

  #property(owner: object, key: string, depth: number): unknown {
    try {
      return this.#plain((owner as Fields)[key], depth);
    } catch {
      return "[cannot be shown]";
    }
  }

  #plain(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#cut(value);
    if (typeof value === "bigint" || typeof value === "symbol") return this.#cut(String(value));
    if (typeof value === "function") return "[function]";
    if (typeof value !== "object" || value === null) return value;
    return depth > maxDepth ? "[nested too deeply]" : this.#object(value, depth);
  }

  #object(value: object, depth: number): unknown {
    if (value instanceof Error) return this.#error(value, depth);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof Set) return this.#list([...value], depth);
    if (value instanceof Map || value instanceof Headers) return this.mapping(Object.fromEntries(value), depth);
    if ("toJSON" in value && typeof value.toJSON === "function") return this.#plain(value.toJSON(), depth + 1);
    return this.mapping(value, depth);
  }

  #list(items: readonly unknown[], depth: number): readonly unknown[] {
    const kept = items.slice(0, maxItems).map((item) => this.#plain(item, depth + 1));
    return items.length > maxItems ? [...kept, `${items.length - maxItems} further items`] : kept;
  }

  /** Own fields such as `code`, then name, message, stack and the chain of causes. */
  #error(error: Error, depth: number): Record<string, unknown> {
    const { name, message, stack, cause } = error;
    return {
      ...this.mapping(error, depth),
      ...(error instanceof AggregateError ? { errors: this.#list(error.errors, depth) } : {}),
      name: this.#cut(String(name)),
      message: this.#cut(String(message)),
      ...(stack === undefined ? {} : { stack: this.#cut(String(stack)) }),
      ...(cause === undefined ? {} : { cause: this.#plain(cause, depth + 1) }),
    };
  }

  #cut(text: string): string {
    if (text.length <= maxTextLength) return text;
    const hidden = this.#hide(text);
    if (hidden.length <= maxTextLength) return hidden;
    return `${hidden.slice(0, maxTextLength)} [${hidden.length - maxTextLength} more]`;
  }
}
