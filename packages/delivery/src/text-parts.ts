import type { MessageId } from "@talaria/protocol";
import type { OutboxPart } from "@talaria/store";

/** The messages that a text becomes, and the state of each. */
export class TextParts {
  #parts: readonly OutboxPart[];

  constructor(parts: readonly OutboxPart[]) {
    this.#parts = parts;
  }

  get all(): readonly OutboxPart[] {
    return this.#parts;
  }

  at(index: number): OutboxPart {
    const part = this.#parts[index];
    if (part === undefined) throw new RangeError("a text has no such part");
    return part;
  }

  change(index: number, change: Partial<OutboxPart>, attempts = 0): void {
    const part = this.at(index);
    this.#parts = this.#parts.with(index, { ...part, ...change, attempts: Math.max(0, part.attempts + attempts) });
  }

  sent(index: number, messageId: MessageId): void {
    const { error: _, lastFailure: __, ...part } = this.at(index);
    this.#parts = this.#parts.with(index, { ...part, state: "sent", messageId });
  }

  /** The first of the new parts inherits the mark that a call for the old one had an unknown outcome. */
  replace(index: number, parts: readonly OutboxPart[]): void {
    const { unknown } = this.at(index);
    const marked = parts.map((part, at) => (at === 0 ? { ...part, unknown } : part));
    this.#parts = this.#parts.toSpliced(index, 1, ...marked);
  }
}
