import { tooLong } from "./answer-parts.ts";
import { isJson } from "./finish-reason.ts";
import { toSaidError } from "./said-error.ts";

/** What stands between two blank lines of a stream of server-sent events. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** The longest line, in UTF-16 units: it holds at most one answer, in escaped JSON. */
const longestLine = 32_000_000;
/** What is kept of an answer that is no stream. */
const mostStrayChars = 1_000_000;

/**
 * The events of a response, as they come; comments are read past. The packages' own readers tell nothing of `[DONE]`, and of an
 * answer that is no stream of events but JSON or a page they tell nothing at all: here an error in it is thrown with its text,
 * and a whole answer in JSON is one event. https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent, void> {
  const growing = new GrowingEvent();
  for await (const line of linesOf(response)) {
    const event = growing.add(line);
    if (event !== undefined) yield event;
  }
  const last = growing.end();
  if (last !== undefined) yield last;
}

class GrowingEvent {
  #event = "";
  #data: string[] = [];
  /** Lines that belong to no stream. */
  #stray = "";
  #isStream = false;

  /** The event that a line ends, if it does. */
  add(line: string): StreamEvent | undefined {
    if (line === "") return this.#take();
    const [, name, value = ""] = /^(data|event|id|retry|)(?::|$) ?(.*)$/s.exec(line) ?? [];
    if (name === undefined) {
      if (this.#stray.length + line.length < mostStrayChars) this.#stray += `${line}\n`;
      return undefined;
    }
    this.#isStream = true;
    if (name === "data") this.#data.push(value);
    if (name === "event") this.#event = value;
    return undefined;
  }

  /** Some servers forget the blank line at the end; what was cut in the middle of an event is no event. */
  end(): StreamEvent | undefined {
    const last = this.#take();
    if (last !== undefined) return last.data === "[DONE]" || isJson(last.data) ? last : undefined;
    const text = this.#stray.trim();
    if (this.#isStream || text === "") return undefined;
    const error = toSaidError(text);
    if (error !== undefined) throw error;
    return { event: "", data: text };
  }

  #take(): StreamEvent | undefined {
    const [event, data] = [this.#event, this.#data];
    this.#event = "";
    this.#data = [];
    return data.length === 0 ? undefined : { event, data: data.join("\n") };
  }
}

/** Lines may end in CR, LF or both. A mark of byte order is dropped by the decoder. */
async function* linesOf({ body }: Response): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  let endsInCr = false;
  for await (const bytes of body ?? []) {
    const text = decoder.decode(bytes, { stream: true });
    if (text === "") continue;
    if (endsInCr || /[\r\n]/.test(text)) {
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      yield* lines;
    } else rest += text;
    endsInCr = text.endsWith("\r");
    if (rest.length > longestLine) throw tooLong();
  }
  rest = (rest + decoder.decode()).replace(/\r$/, "");
  if (rest !== "") yield rest;
}
