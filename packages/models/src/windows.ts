import type { ModelFailure, ModelRequest } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";

/** For how long a window that a server has stated counts: it may be started anew with another one. */
const statedMs = 600_000;
/** No model that is worth asking has less: such a number is about something else. */
const leastStated = 2_000;

interface Windowed {
  readonly name: string;
  /** Without it, nobody knows its window. */
  readonly contextTokens?: number;
}

/** The windows that servers have stated when they refused a request, where those are smaller than what the configuration says. */
export class StatedWindows {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #windows = new Map<string, { readonly tokens: number; readonly until: number }>();

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  of({ name, contextTokens }: Windowed): number | undefined {
    const known = this.#windows.get(name);
    if (known === undefined || known.until <= this.#clock.elapsed()) return contextTokens;
    return Math.min(known.tokens, contextTokens ?? known.tokens);
  }

  note({ name }: Windowed, { windowTokens }: ModelFailure): void {
    if (windowTokens === undefined || windowTokens < leastStated) return;
    this.#windows.set(name, { tokens: windowTokens, until: this.#clock.elapsed() + statedMs });
  }
}

/** Which models can take one request, as far as one can tell before they are asked, and as they say themselves. */
export class Windows {
  readonly #takes: number | undefined;
  readonly #stated: StatedWindows;
  /** What has refused it was no larger; Infinity where that is not known. */
  #above: number | undefined;
  #full: ModelFailure | undefined;
  #largestPassedBy = 0;

  constructor({ estimatedTokens }: ModelRequest, stated: StatedWindows) {
    this.#takes = estimatedTokens;
    this.#stated = stated;
  }

  /** Whether to ask this model. After a refusal only larger ones are worth it. */
  fits(model: Windowed): boolean {
    const contextTokens = this.#stated.of(model);
    if (this.#above !== undefined) return contextTokens !== undefined && contextTokens > this.#above;
    if (contextTokens === undefined || this.#takes === undefined || contextTokens >= this.#takes) return true;
    this.#largestPassedBy = Math.max(this.#largestPassedBy, contextTokens);
    return false;
  }

  /** A model has said that it is too long. */
  refused({ contextTokens }: Windowed, failure: ModelFailure): void {
    const windowTokens = failure.windowTokens ?? contextTokens;
    this.#above = Math.max(this.#above ?? 0, windowTokens ?? Number.POSITIVE_INFINITY);
    if (windowTokens !== undefined && windowTokens < (this.#full?.windowTokens ?? 0)) return;
    this.#full = { ...failure, ...(windowTokens !== undefined && { windowTokens }) };
  }

  /** That the request is too long for those that could have been asked; nothing when none was too small. */
  failure(): ModelFailure | undefined {
    if (this.#largestPassedBy <= (this.#full?.windowTokens ?? 0) || this.#above === Number.POSITIVE_INFINITY)
      return this.#full;
    const windowTokens = this.#largestPassedBy;
    const message = `the request takes about ${this.#takes} tokens, and the largest window to be had takes ${windowTokens}`;
    return { kind: "context_full", message, visible: false, windowTokens, guessed: true };
  }
}
