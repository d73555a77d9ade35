type Detail = Record<string, unknown>;

/**
 * The thoughts that OpenRouter sends as `reasoning_details`. In a stream an item comes in fragments: those of one index and type
 * are one item, whose texts are joined and whose signature is kept. Encrypted items come whole.
 * https://openrouter.ai/docs/guides/best-practices/reasoning-tokens, "Preserving reasoning"
 */
export class ReasoningDetails {
  readonly #items: Detail[] = [];

  get items(): readonly unknown[] {
    return this.#items;
  }

  /** Takes fragments in; gives the text of their thoughts. */
  add(fragments: readonly unknown[]): string {
    return fragments.map((fragment) => (isDetail(fragment) ? this.#addOne(fragment) : "")).join("");
  }

  #addOne(fragment: Detail): string {
    const known = this.#items.findLast((item) => item.type === fragment.type && item.index === fragment.index);
    if (known !== undefined && isContinued(known, fragment)) join(known, fragment);
    else this.#items.push({ ...fragment });
    return textOf(fragment.text) + textOf(fragment.summary);
  }
}

/** A signature ends a thought, and an item that has an id is another one than one with another id. */
function isContinued(known: Detail, fragment: Detail): boolean {
  if (fragment.type !== "reasoning.text" && fragment.type !== "reasoning.summary") return false;
  if (known.id && fragment.id && known.id !== fragment.id) return false;
  return !known.signature || textOf(fragment.text) + textOf(fragment.summary) === "";
}

function join(known: Detail, fragment: Detail): void {
  for (const [name, value] of Object.entries(fragment)) {
    if (name === "text" || name === "summary") known[name] = textOf(known[name]) + textOf(value);
    else if (known[name] === undefined || known[name] === null) known[name] = value;
  }
}

function isDetail(value: unknown): value is Detail {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
