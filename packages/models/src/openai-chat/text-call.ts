import { mostChars, tooLong } from "../dialect/answer-parts.ts";
import { functionIn, functionNameIn, functionOpening, type TextCall, type ToolSchemas } from "./text-function.ts";

export const callOpening = "<tool_call>";
export const callClosing = "</tool_call>";
/** How many ends a call may seem to have before its text is taken for talk about calls: one may stand in an argument. */
const mostEnds = 8;
/** Within them a call has to say what it calls. */
const beginChars = 200;
const nameInJson = /^\{\s*"name"\s*:\s*"([^"\\]*)"/;

interface Reading {
  readonly opening: string;
  readonly tools: ToolSchemas;
  /** Counts only with a line of its own for its opening tag, as templates of models have it. */
  readonly wantsLines: boolean;
}

/** What stands between the tags of one call, as it grows. */
export class GrowingTextCall {
  /** Without the tag around it. */
  readonly isBare: boolean;
  readonly closing: string;
  readonly #tools: ToolSchemas;
  readonly #wantsLines: boolean;
  readonly #pieces: string[] = [];
  #begin: string;
  #isInLine = false;
  #chars = 0;
  #ends = 0;

  constructor({ opening, tools, wantsLines }: Reading) {
    this.isBare = opening === functionOpening;
    this.closing = this.isBare ? "</function>" : callClosing;
    this.#tools = tools;
    this.#wantsLines = wantsLines && !this.isBare;
    this.#begin = this.isBare ? functionOpening : "";
  }

  /** Whatever comes, this is no call. */
  get isNone(): boolean {
    if (this.#isInLine || this.#ends >= mostEnds) return true;
    if (this.#begin === "" || this.#begin.startsWith("{")) return false;
    if (!this.#begin.startsWith(functionOpening)) return !functionOpening.startsWith(this.#begin);
    const name = functionNameIn(this.#begin);
    return name === undefined ? this.#begin.length === beginChars : !this.#tools.has(name);
  }

  /** With the opening tag. */
  get text(): string {
    return (this.isBare ? "" : callOpening) + this.#body;
  }

  add(text: string): void {
    if (text === "") return;
    if (this.#wantsLines && this.#pieces.length === 0) this.#isInLine = !/^[\r\n]/.test(text);
    this.#pieces.push(text);
    if (this.#begin.length < beginChars) this.#begin = (this.#begin + text).trimStart().slice(0, beginChars);
    this.#chars += text.length;
    if (this.#chars > mostChars) throw tooLong();
  }

  /** The call, when it seems to end here; undefined when it makes none of a known tool. */
  end(isClosed: boolean): TextCall | undefined {
    this.#ends += 1;
    if (this.isNone) return undefined;
    if (!this.#begin.startsWith("{"))
      return functionIn(this.#body + (this.isBare && isClosed ? this.closing : ""), this.#tools);
    const { name, arguments: given, parameters } = (parsed(this.#body) ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== "string" || !this.#tools.has(name)) return undefined;
    const args = given ?? parameters ?? {};
    return { name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
  }

  /** What a limit has cut off: a call of which something is missing, or one that has no name yet. Undefined: it is none. */
  cut(): TextCall | "nameless" | undefined {
    if (this.isNone) return undefined;
    const name = this.#begin.startsWith("{") ? nameInJson.exec(this.#begin)?.[1] : functionNameIn(this.#begin);
    if (name === undefined) return "nameless";
    return this.#tools.has(name) ? { name, arguments: this.#body.trimStart() } : undefined;
  }

  get #body(): string {
    return (this.isBare ? functionOpening : "") + this.#pieces.join("");
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
