import type { Adapter, ReplyView } from "@talaria/adapter";

/** What stands before a platform and fails: how much of what is asked of it waits on purpose. */
export interface Holding {
  readonly failed: number;
  readonly sleeping: number;
}

type Work = (...given: readonly unknown[]) => unknown;

/** Counts the calls of one adapter that somebody waits for, so that a clock can stand still meanwhile. */
export class CountedCalls {
  readonly adapter: Adapter;
  #live = 0;
  /** Calls since the silence began that nobody answers, or that have not got there yet. Undefined: none begins now. */
  #intoSilence: number | undefined;

  constructor(adapter: Adapter) {
    this.adapter = this.#counted(adapter);
  }

  /** What is called from now on is never answered. */
  beginSilence(): void {
    this.#intoSilence = 0;
  }

  endSilence(): void {
    this.#intoSilence = undefined;
  }

  /** Whether anything goes on that time must not pass by. */
  isBusy({ failed, sleeping }: Holding): boolean {
    return this.#intoSilence === undefined ? this.#live > sleeping : this.#intoSilence > failed;
  }

  #counted<Target extends Adapter | ReplyView>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const work = value.bind(target) as Work;
        return isCall(name) ? (...given: readonly unknown[]) => this.#count(work, given) : work;
      },
    });
  }

  async #count(work: Work, given: readonly unknown[]): Promise<unknown> {
    this.#live += 1;
    if (this.#intoSilence !== undefined) this.#intoSilence += 1;
    try {
      const answer = await work(...given);
      return isView(answer) ? this.#counted(answer) : answer;
    } finally {
      this.#live -= 1;
      const isCut = given.some((one) => one instanceof AbortSignal && one.aborted);
      if (this.#intoSilence !== undefined && !isCut) this.#intoSilence -= 1;
    }
  }
}

const calls: ReadonlySet<PropertyKey> = new Set([
  ...(["send", "edit", "delete", "setTyping", "openReply", "findSent", "probe"] satisfies readonly (keyof Adapter)[]),
  ...(["update", "finish", "discard"] satisfies readonly (keyof ReplyView)[]),
]);

function isCall(name: PropertyKey): boolean {
  return calls.has(name);
}

function isView(answer: unknown): answer is ReplyView {
  return typeof answer === "object" && answer !== null && "finish" in answer;
}
