import type { AssistantEntry, TranscriptEntry } from "./journal.ts";
import { isHighSurrogate } from "./text.ts";
import type { TurnEvent } from "./turn-event.ts";

const cutOffNote = "(cut off at the length limit)";

/** What an answer says beside its calls is news of the work up to this length, and a part of the reply beyond it. */
const longestNews = 500;

/**
 * The reply these entries make up: what the model said in its answers, joined by blank lines, without what it said only while it went
 * on to its next call. Where nothing else was said, the last of that.
 */
export function replyOf(entries: readonly TranscriptEntry[]): string {
  const texts = partsOf(entries);
  if (texts.length > 0) return texts.join("\n\n");
  return (
    answersOf(entries)
      .map(shownText)
      .findLast((text) => text !== "") ?? ""
  );
}

/** What people see while the next answer is awaited. `earlier` is its beginning that stays. */
export interface Shown {
  readonly text: string;
  readonly earlier: string;
}

export function shownSoFar(entries: readonly TranscriptEntry[]): Shown {
  const earlier = partsOf(entries).join("\n\n");
  const last = answersOf(entries).findLast((answer) => shownText(answer) !== "");
  const news = last === undefined || isPart(last, entries) ? "" : shownText(last);
  return { text: [earlier, news].filter((text) => text !== "").join("\n\n"), earlier };
}

function partsOf(entries: readonly TranscriptEntry[]): readonly string[] {
  const parts = answersOf(entries).filter((answer) => isPart(answer, entries));
  return parts.map(shownText).filter((text) => text !== "");
}

function answersOf(entries: readonly TranscriptEntry[]): readonly AssistantEntry[] {
  return entries.filter((entry) => entry.kind === "assistant");
}

/**
 * Also what goes with a file or a question that the answer's calls have added, and what is too long to be news. The beginning of an
 * answer that was cut short is news: the last answer says it again.
 */
function isPart({ content, toolCalls, stop }: AssistantEntry, entries: readonly TranscriptEntry[]): boolean {
  if (content.length > longestNews) return true;
  if (toolCalls.length === 0) return stop !== "interrupted";
  const ids = new Set(toolCalls.map(({ callId }) => callId));
  return entries.some((entry) => entry.kind === "tool.result" && entry.reply !== undefined && ids.has(entry.callId));
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
  #isStale: boolean;
  #answer = "";
  #shownChars = 0;

  constructor({ earlier, text }: Shown) {
    this.#earlier = earlier;
    this.#isStale = text !== earlier;
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
    return wasShown ? this.#fromEarlier() : [];
  }

  #fromEarlier(): readonly TurnEvent[] {
    return this.#earlier === ""
      ? [{ type: "text.restart" }]
      : [{ type: "text.restart" }, { type: "text.delta", text: this.#earlier }];
  }

  #showUpTo(end: number): readonly TurnEvent[] {
    if (end <= this.#shownChars) return [];
    const separator = this.#shownChars === 0 && this.#earlier !== "" ? "\n\n" : "";
    const text = separator + this.#answer.slice(this.#shownChars, end);
    this.#shownChars = end;
    const anew = this.#isStale ? this.#fromEarlier() : [];
    this.#isStale = false;
    return [...anew, { type: "text.delta", text }];
  }
}
