import type { AssistantEntry, TranscriptEntry } from "./journal.ts";
import { isHighSurrogate } from "./text.ts";
import type { TurnEvent } from "./turn-event.ts";

const cutOffNote = "(cut off at the length limit)";

/** The reply these entries make up: what the model said in each answer, joined by blank lines. */
export function replyOf(entries: readonly TranscriptEntry[]): string {
  return entries
    .filter((entry) => entry.kind === "assistant")
    .map(shownText)
    .filter((text) => text !== "")
    .join("\n\n");
}

/** What people see of one answer. */
export function shownText({ content, toolCalls, stop }: AssistantEntry): string {
  const text = content.trimStart();
  return stop === "max_tokens" && toolCalls.length === 0 && text !== "" ? `${text}\n\n${cutOffNote}` : text;
}

/**
 * The reply while it grows. Keeps this promise to the reader: the `text.delta`s since the start or the last
 * `text.restart`, joined, are the reply so far. Leading white space of an answer is not shown, and a character that
 * arrives in halves is shown whole.
 */
export class ReplyText {
  readonly #earlier: string;
  #answer = "";
  #shownChars = 0;

  /** `earlier`: the reply of the answers before this one, already shown. */
  constructor(earlier: string) {
    this.#earlier = earlier;
  }

  /** What the model has said in this answer. */
  get answer(): string {
    return this.#answer;
  }

  add(text: string): readonly TurnEvent[] {
    this.#answer = this.#answer === "" ? text.trimStart() : this.#answer + text;
    const end = isHighSurrogate(this.#answer, this.#answer.length - 1) ? this.#answer.length - 1 : this.#answer.length;
    return this.#showUpTo(end);
  }

  /** Shows `text` as the whole answer, whatever was shown of it before. */
  settle(text: string): readonly TurnEvent[] {
    const keeps = text.startsWith(this.#answer.slice(0, this.#shownChars));
    const restarted = keeps ? [] : this.restart();
    this.#answer = text;
    return [...restarted, ...this.#showUpTo(text.length)];
  }

  /** Takes back what was shown of this answer. */
  restart(): readonly TurnEvent[] {
    const wasShown = this.#shownChars > 0;
    this.#answer = "";
    this.#shownChars = 0;
    if (!wasShown) return [];
    return this.#earlier === ""
      ? [{ type: "text.restart" }]
      : [{ type: "text.restart" }, { type: "text.delta", text: this.#earlier }];
  }

  #showUpTo(end: number): readonly TurnEvent[] {
    if (end <= this.#shownChars) return [];
    const separator = this.#shownChars === 0 && this.#earlier !== "" ? "\n\n" : "";
    const text = separator + this.#answer.slice(this.#shownChars, end);
    this.#shownChars = end;
    return [{ type: "text.delta", text }];
  }
}
