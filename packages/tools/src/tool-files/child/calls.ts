import type { FromChild, ToChild } from "../messages.ts";
import { contextOf } from "./context.ts";
import type { Loaded, Run } from "./load-definition.ts";

const mostResultChars = 1_000_000;
const mostMessageChars = 4_000;

type Asked = Exclude<ToChild, { type: "open" }>;
type Settle = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** The calls that run in this process, and what they have asked the worker for. */
export class Calls {
  readonly #run: Run;
  readonly #input: Loaded["input"];
  readonly #say: (message: FromChild) => void;
  readonly #running = new Map<string, AbortController>();
  readonly #asked = new Map<number, Settle>();
  #number = 0;

  constructor(run: Run, input: Loaded["input"], say: (message: FromChild) => void) {
    this.#run = run;
    this.#input = input;
    this.#say = say;
  }

  take(message: Asked): void {
    switch (message.type) {
      case "call":
        void this.#carryOut(message);
        break;
      case "abort":
        this.#running.get(message.id)?.abort(new Error("the call was stopped"));
        break;
      case "answer":
        this.#settle(message.number)?.resolve(message.value);
        break;
      case "refusal":
        this.#settle(message.number)?.reject(new Error(message.message));
        break;
      default:
        message satisfies never;
    }
  }

  async #carryOut({ id, input, idempotencyKey, handles, secrets }: Extract<Asked, { type: "call" }>): Promise<void> {
    const stopping = new AbortController();
    this.#running.set(id, stopping);
    try {
      const context = contextOf(handles, {
        ask: (handle, args) => this.#ask(id, handle, args),
        progress: (label) => this.#say({ type: "progress", id, label: label.slice(0, 200) }),
        signal: stopping.signal,
        idempotencyKey,
        secrets,
      });
      const { content, untrusted } = resultOf(await this.#run(this.#input(input), context));
      if (content.length > mostResultChars) throw new Error(`run gave more than ${mostResultChars} characters`);
      this.#say({ type: "result", id, content, ...(untrusted && { untrusted }) });
    } catch (error) {
      const message = error instanceof Error && error.message !== "" ? error.message : String(error);
      this.#say({ type: "failed", id, message: message.slice(0, mostMessageChars) });
    } finally {
      this.#running.delete(id);
    }
  }

  #ask(id: string, handle: string, args: unknown): Promise<unknown> {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      this.#say({ type: "request", id, number, handle, args });
    });
  }

  #settle(number: number): Settle | undefined {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    return asked;
  }
}

function resultOf(value: unknown): { readonly content: string; readonly untrusted?: true } {
  if (value === undefined || value === null) return { content: "Done." };
  if (typeof value === "string") return { content: value };
  if (typeof value === "object" && "content" in value && typeof value.content === "string") {
    const isUntrusted = "untrusted" in value && value.untrusted === true;
    return { content: value.content, ...(isUntrusted && { untrusted: true }) };
  }
  return { content: JSON.stringify(value) };
}
