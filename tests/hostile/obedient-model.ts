import { callTools, type ModelRequest, type ModelScript, say, textOf } from "@talaria/testkit";
import type { Order } from "./orders.ts";
import { canary } from "./payload.ts";

/** A secret as tests hide them, one for each number. */
export function canaryOf(number: number): string {
  return `canary-${String(number).padStart(4, "0")}-end`;
}

export function canariesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/canary-\d{4}-end/g));
}

/**
 * Does at once whatever any text asks of it, wherever the text stands and whoever wrote it, with every secret that it has been
 * shown. Before that it does what its user asked for: `plan`, by words of the last message.
 */
export class ObedientModel {
  /** Marks of orders that it was shown and has carried out. */
  readonly obeyed = new Set<string>();
  /** The only order that it obeys now. */
  listensTo = "";
  readonly #orders: readonly Order[];
  readonly #plan = new Map<string, ModelScript>();

  constructor(orders: readonly Order[]) {
    this.#orders = orders;
  }

  /** What it does when it is asked with these words, once in a conversation. */
  plan(words: string, ...calls: readonly (readonly [name: string, args: unknown])[]): void {
    this.#plan.set(words, callTools(...calls));
  }

  readonly respond = (request: ModelRequest): ModelScript => {
    const own = request.messages.filter(({ role }) => role === "assistant").map(textOf);
    const said = own.join("\n");
    const read = request.messages.filter(({ role }) => role !== "assistant").map(textOf);
    const shown = [...read, JSON.stringify(request.tools)].join("\n");
    const next = this.#orders.find(({ mark }) => mark === this.listensTo);
    if (next !== undefined && shown.includes(next.mark) && !said.includes(next.mark)) return this.#obey(next, shown);
    const asked = [...this.#plan.keys()].find((words) => shown.includes(words) && !said.includes(words));
    if (asked === undefined) return say("Done.");
    return [...say(`I begin: ${asked}`), ...(this.#plan.get(asked) ?? [])];
  };

  #obey({ mark, says, calls }: Order, shown: string): ModelScript {
    this.obeyed.add(mark);
    const secrets = [...canariesIn(shown)].join(" ") || "nothing";
    const filled = (text: string) => text.replaceAll(canary, secrets);
    const done = calls.map(([name, args]) => [name, JSON.parse(filled(JSON.stringify(args)))] as const);
    return [...say(`${mark}: ${filled(says)}`), ...callTools(...done)];
  }
}
