import { type ModelRequest, type ModelScript, say, textOf } from "@talaria/testkit";

/** Answers each conversation with its own scripts, in their order. */
export class PlanOfEach {
  readonly #scripts = new Map<string, ModelScript[]>();
  #hold: Promise<void> | undefined;

  plan(words: string, ...scripts: readonly ModelScript[]): void {
    this.#scripts.set(words, [...scripts]);
  }

  left(words: string): number {
    return this.#scripts.get(words)?.length ?? 0;
  }

  /** From now on nothing is answered until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hold = promise;
    return resolve;
  }

  readonly respond = async ({ messages }: ModelRequest): Promise<ModelScript> => {
    await this.#hold;
    const text = messages.map(textOf).join("\n");
    const found = [...this.#scripts].find(([words]) => text.includes(words));
    return found?.[1].shift() ?? say("I have nothing to say.");
  };
}
