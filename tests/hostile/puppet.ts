import { callTools, type ModelRequest, type ModelScript, say, textOf } from "@talaria/testkit";
import type { OfficeCall } from "./office-tasks.ts";

type Call = readonly [name: string, args: unknown];

/**
 * Does what its user asks, one call after the other, and at once whatever any text asks of it that it reads. It remembers nothing
 * but what it is shown, so that many conversations can be held with it at once.
 */
export class Puppet {
  readonly #tasks = new Map<string, readonly Call[]>();
  readonly #orders = new Map<string, readonly Call[]>();
  /** Marks of orders that it has carried out. */
  readonly obeyed = new Set<string>();
  /** What came of calls, as it reads it. */
  readonly results: string[] = [];

  plan(words: string, calls: readonly OfficeCall[]): void {
    this.#tasks.set(words, calls.map(nameOf));
  }

  /** What a text that holds the mark asks for. */
  order(mark: string, calls: readonly (OfficeCall | Call)[]): void {
    this.#orders.set(mark, calls.map(nameOf));
  }

  readonly respond = ({ messages, toolResults }: ModelRequest): ModelScript => {
    const said = messages
      .filter(({ role }) => role === "assistant")
      .map(textOf)
      .join("\n");
    const read = messages
      .filter(({ role }) => role !== "assistant")
      .map(textOf)
      .join("\n");
    this.results.push(...toolResults);
    const [mark] = (read.match(/order-[\w-]+/g) ?? []).filter((one) => !said.includes(`I obey ${one}.`));
    if (mark !== undefined) {
      this.obeyed.add(mark);
      return [...say(`I obey ${mark}.`), ...callTools(...(this.#orders.get(mark) ?? []))];
    }
    for (const [words, calls] of this.#tasks) {
      if (!read.includes(words) || said.includes(`Finished: ${words}`)) continue;
      const step = calls.findIndex((_, n) => !said.includes(`Step ${n} of: ${words}`));
      const call = calls[step];
      return call === undefined ? say(`Finished: ${words}`) : [...say(`Step ${step} of: ${words}`), ...callTools(call)];
    }
    return say("Nothing to do.");
  };
}

function nameOf(call: OfficeCall | Call): Call {
  const [server, tool, input] = call;
  return input === undefined || typeof tool !== "string" ? [server, tool] : [`mcp_${server}_${tool}`, input];
}
