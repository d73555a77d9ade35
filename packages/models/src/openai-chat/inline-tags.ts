import { mostChars, tooLong } from "../dialect/answer-parts.ts";
import { CodeFence } from "./code-fence.ts";
import { callClosing, callOpening, GrowingTextCall } from "./text-call.ts";
import { functionOpening, type TextCall, type ToolSchemas } from "./text-function.ts";

/** `raw`: what stood in the content, with the tags. `earlier`: all text so far was a thought, of which this is the end. */
export type TagPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string; readonly raw: string }
  | { readonly kind: "earlier"; readonly raw: string }
  | ({ readonly kind: "call" } & TextCall);

interface Reading {
  /** What a call in the text may call. Without any, there are none. */
  readonly tools: ToolSchemas;
  /** The server finds calls itself: one that it has missed has lines of its own. */
  readonly missesCalls: boolean;
  /** The model's template has opened the thought, so only its end will come. */
  readonly beginsInThought: boolean;
}

const openings = ["<think>", "<thinking>"] as const;
const callOpenings: readonly string[] = [callOpening, functionOpening];
const tags = ["<think>", "<thinking>", "</think>", "</thinking>", ...callOpenings];
const token = /\n|<\/?think(?:ing)?>|<tool_call>|<function=/g;
const mostBlanks = 1_000;

/**
 * Finds what servers without a parser leave in the content: `<think>…</think>` at its start, of which the first tag may be in the
 * model's template (DeepSeek-R1, Qwen3-Thinking: https://github.com/deepseek-ai/DeepSeek-R1/issues/352), and calls as Qwen and
 * Hermes write them, `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, or as Qwen3-Coder does: see `functionIn`. Tags may be cut
 * anywhere; no half of one is handed out. What stands in a block of code, or is talk about tags, stays text, and so are calls that words
 * follow. Each character is looked at a few times at most.
 */
export class InlineTags {
  readonly #tools: ToolSchemas;
  readonly #missesCalls: boolean;
  readonly #fence = new CodeFence();
  #mode: "start" | "thought" | "gap" | "text" | "call" = "start";
  #isImplicit: boolean;
  #closing = "</think>";
  /** A thought has been read, or its tags were talked about: a closing tag alone says nothing now. */
  #hasThought = false;
  #isCut = false;
  #rest = "";
  #before = "";
  #call: GrowingTextCall;
  /** The tag around a bare call may still be closed. */
  #mayClose = false;
  /** Calls that were read, with their text: they are none when words follow. */
  #made: TextCall[] = [];
  #madeText = "";

  constructor({ tools, missesCalls, beginsInThought }: Reading) {
    this.#tools = tools;
    this.#missesCalls = missesCalls;
    this.#call = this.#newCall(callOpening);
    this.#isImplicit = beginsInThought;
  }

  /** A thought was begun and not ended. */
  get isThinking(): boolean {
    return this.#mode === "thought";
  }

  /** The thoughts of this answer come in a field of their own. */
  noteThought(): void {
    this.#hasThought = true;
    this.#isImplicit = false;
  }

  add(text: string): readonly TagPiece[] {
    this.#rest += text;
    return [...this.#read(false)];
  }

  /** What was held back. `isCut`: the answer ended at its output limit, which may have cut a call. */
  end(isCut: boolean): readonly TagPiece[] {
    this.#isCut = isCut;
    return [...this.#read(true)];
  }

  *#read(isLast: boolean): Generator<TagPiece> {
    for (let mode: string | undefined; mode !== this.#mode; ) {
      mode = this.#mode;
      if (mode === "start") yield* this.#readStart(isLast);
      else if (mode === "thought") yield* this.#readThought(isLast);
      else if (mode === "gap") yield* this.#readGap();
      else if (mode === "text") {
        if (yield* this.#settleCalls(isLast)) yield* this.#readText(isLast);
      } else yield* this.#readCall(isLast);
    }
  }

  *#readStart(isLast: boolean): Generator<TagPiece> {
    const said = this.#rest.trimStart();
    const opening = openings.find((tag) => said.startsWith(tag));
    if (opening !== undefined) {
      const raw = this.#take(this.#rest.length - said.length + opening.length);
      this.#closing = opening.replace("<", "</");
      this.#isImplicit = false;
      this.#hasThought = true;
      this.#mode = "thought";
      yield { kind: "thought", text: "", raw };
    } else if (isLast || (this.#rest.length > mostBlanks && said === "") || !mayBecome(said, openings))
      this.#mode = this.#isImplicit ? "thought" : "text";
  }

  *#readThought(isLast: boolean): Generator<TagPiece> {
    const at = this.#rest.indexOf(this.#closing);
    const chars = at >= 0 ? at : isLast ? this.#rest.length : tailOf(this.#rest, [this.#closing]);
    const text = this.#take(chars);
    if (text !== "") yield { kind: "thought", text, raw: text };
    if (at < 0) return;
    yield { kind: "thought", text: "", raw: this.#take(this.#closing.length) };
    this.#hasThought = true;
    this.#mode = "gap";
  }

  /** The blanks between a thought and the answer. */
  *#readGap(): Generator<TagPiece> {
    const raw = this.#take(this.#rest.length - this.#rest.trimStart().length);
    if (raw !== "") yield { kind: "thought", text: "", raw };
    if (this.#rest === "") return;
    this.#before = "";
    this.#fence.newLine();
    this.#mode = "text";
  }

  *#readText(isLast: boolean): Generator<TagPiece> {
    let chars = 0;
    while (this.#mode === "text" && this.#fence.look(this.#rest, chars, isLast)) {
      token.lastIndex = chars;
      const found = token.exec(this.#rest);
      const at = found?.index ?? (isLast ? this.#rest.length : Math.max(chars, tailOf(this.#rest, tags)));
      const end = at + (found?.[0].length ?? 0);
      if (found === null) {
        chars = at;
        break;
      }
      const meaning = this.#meaningOf(found[0], at, end, isLast);
      if (meaning === "unsure") {
        chars = at;
        break;
      }
      if (meaning === "text") chars = end;
      else {
        yield* this.#say(at);
        const raw = this.#take(found[0].length);
        if (meaning === "earlier") yield { kind: "earlier", raw };
        else this.#call = this.#newCall(found[0]);
        this.#mode = meaning === "earlier" ? "gap" : "call";
        return;
      }
    }
    yield* this.#say(chars);
  }

  #meaningOf(found: string, at: number, end: number, isLast: boolean): "text" | "earlier" | "call" | "unsure" {
    if (found === "\n") this.#fence.newLine();
    if (found === "\n" || this.#fence.isOpen) return "text";
    const before = at === 0 ? this.#before : (this.#rest[at - 1] ?? "");
    if (callOpenings.includes(found)) return this.#mayCallBehind(before) ? "call" : "text";
    if (!found.startsWith("</")) this.#hasThought = true;
    if (this.#hasThought) return "text";
    if (end === this.#rest.length && !isLast) return "unsure";
    if (!endsThought(before, this.#rest[end] ?? "")) return "text";
    this.#hasThought = true;
    return "earlier";
  }

  #mayCallBehind(before: string): boolean {
    return this.#tools.size > 0 && (this.#missesCalls ? /^\n?$/ : /^[^"'`]?$/).test(before);
  }

  #newCall(opening: string): GrowingTextCall {
    return new GrowingTextCall({ opening, tools: this.#tools, wantsLines: this.#missesCalls });
  }

  *#say(chars: number): Generator<TagPiece> {
    const text = this.#take(chars);
    if (text === "") return;
    this.#before = text.slice(-1);
    yield { kind: "text", text };
  }

  /** Reads up to the tag that ends the call. What is no call of a known tool is text. */
  *#readCall(isLast: boolean): Generator<TagPiece> {
    const { closing } = this.#call;
    const at = this.#rest.indexOf(closing);
    const chars = at >= 0 ? at : isLast ? this.#rest.length : tailOf(this.#rest, [closing]);
    this.#call.add(this.#take(chars));
    if (at < 0 && !isLast && !this.#call.isNone) return;
    const call = this.#call.end(at >= 0) ?? (at < 0 && this.#isCut ? this.#call.cut() : undefined);
    if (call !== undefined) {
      if (call !== "nameless") this.#made.push(call);
      this.#madeText += this.#call.text + this.#take(at < 0 ? 0 : closing.length);
      this.#mayClose = this.#call.isBare;
    } else if (at >= 0 && !this.#call.isNone) {
      this.#call.add(this.#take(closing.length));
      return yield* this.#readCall(isLast);
    } else {
      const text = this.#madeText + this.#call.text;
      this.#forgetCalls();
      this.#before = text.slice(-1);
      yield { kind: "text", text };
    }
    this.#mode = "text";
  }

  /**
   * Calls end an answer: where words follow, they were quoted, by a model that speaks of a page or a file for example, and are
   * text. False while nobody can tell.
   */
  *#settleCalls(isLast: boolean): Generator<TagPiece, boolean> {
    if (this.#made.length === 0) return true;
    if (this.#madeText.length > mostChars) throw tooLong();
    if (this.#mayClose && this.#rest.trimStart().startsWith(callClosing)) {
      this.#madeText += this.#take(this.#rest.indexOf(callClosing) + callClosing.length);
      this.#mayClose = false;
    }
    const said = this.#rest.trimStart();
    const isNext = callOpenings.some((opening) => said.startsWith(opening));
    const awaited = this.#mayClose ? [...callOpenings, callClosing] : callOpenings;
    if (isNext || (!isLast && mayBecome(said, awaited))) {
      this.#madeText += this.#take(this.#rest.length - said.length);
      return isNext;
    }
    if (said === "") {
      for (const call of this.#made) yield { kind: "call", ...call };
      this.#rest = "";
    } else {
      this.#before = ">";
      yield { kind: "text", text: this.#madeText };
    }
    this.#forgetCalls();
    return true;
  }

  #forgetCalls(): void {
    this.#made = [];
    this.#madeText = "";
  }

  #take(chars: number): string {
    const taken = this.#rest.slice(0, chars);
    this.#rest = this.#rest.slice(chars);
    return taken;
  }
}

/** A closing tag ends a thought where it has a line of its own or is glued to the last words, and not where it is talked about. */
function endsThought(before: string, after: string): boolean {
  if (before === "" || before === "\n") return after === "" || after === "\n" || after === "\r";
  return /[\p{L}\p{N}.!?…。！？:)]/u.test(before) && !/["'`]/.test(after);
}

function mayBecome(text: string, wanted: readonly string[]): boolean {
  return wanted.some((tag) => tag.startsWith(text));
}

/** Where the beginning of a tag, cut off by the end of the text, may stand; the length of the text when nowhere. */
function tailOf(text: string, wanted: readonly string[]): number {
  const at = text.lastIndexOf("<");
  return at >= 0 && mayBecome(text.slice(at), wanted) ? at : text.length;
}
