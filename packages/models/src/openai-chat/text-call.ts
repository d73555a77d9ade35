import { mostChars, tooLong } from "../dialect/answer-parts.ts";

export const callOpening = "<tool_call>";
export const callClosing = "</tool_call>";
/** How many ends a call may seem to have before its text is taken for talk about calls: one may stand in an argument. */
const mostEnds = 8;

export interface TextCall {
  readonly name: string;
  readonly arguments: string;
}

/** What stands between the tags of one call, as it grows. */
export class GrowingTextCall {
  readonly #tools: ReadonlySet<string>;
  readonly #pieces: string[] = [];
  #begin = "";
  #chars = 0;
  #ends = 0;

  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools;
  }

  /** Whatever comes, this is no call. */
  get isNone(): boolean {
    return (this.#begin !== "" && this.#begin !== "{") || this.#ends >= mostEnds;
  }

  /** With the opening tag. */
  get text(): string {
    return callOpening + this.#pieces.join("");
  }

  add(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#begin ||= text.trimStart().slice(0, 1);
    this.#chars += text.length;
    if (this.#chars > mostChars) throw tooLong();
  }

  /** The call, when it seems to end here; undefined when it makes none of a known tool. */
  end(): TextCall | undefined {
    this.#ends += 1;
    const value = this.#begin === "{" ? parsed(this.#pieces.join("")) : undefined;
    const { name, arguments: given, parameters } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== "string" || !this.#tools.has(name)) return undefined;
    const args = given ?? parameters ?? {};
    return { name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
