import type { ModelFailure, ModelRequest } from "@talaria/agent";

interface Windowed {
  /** Without it, nobody knows its window. */
  readonly contextTokens?: number;
}

/** Which models can take one request, as far as one can tell before they are asked, and as they say themselves. */
export class Windows {
  readonly #takes: number | undefined;
  /** What has refused it was no larger; Infinity where that is not known. */
  #above: number | undefined;
  #full: ModelFailure | undefined;
  #largestPassedBy = 0;

  constructor({ estimatedTokens }: ModelRequest) {
    this.#takes = estimatedTokens;
  }

  /** Whether to ask this model. After a refusal only larger ones are worth it. */
  fits({ contextTokens }: Windowed): boolean {
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
    return { kind: "context_full", message, visible: false, windowTokens };
  }
}
