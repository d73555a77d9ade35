import type { ModelFailure, ModelRequest } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";

/** For how long a window that a server has stated counts: it may be started anew with another one. */
const statedMs = 600_000;
/** No model that is worth asking has less: such a number is about something else. */
const leastStated = 2_000;
/** Whoever refuses a request and names no window takes so much of it, as far as anybody can guess. */
const belowRefused = 0.9;

interface Windowed {
  readonly name: string;
  /** Without it, nobody knows its window. */
  readonly contextTokens?: number;
}

type Known = Map<string, { readonly tokens: number; readonly until: number }>;

/**
 * The windows that servers have stated when they refused a request, where those are smaller than what the configuration says. What a server
 * has taken since, or a while ago, proves a smaller number false.
 */
export class StatedWindows {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #taken: Known = new Map();
  readonly #windows: Known = new Map();

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  of({ name, contextTokens }: Windowed): number | undefined {
    const tokens = this.#now(this.#windows, name);
    return tokens === undefined ? contextTokens : Math.min(tokens, contextTokens ?? tokens);
  }

  /** The server has answered a request of so many tokens. */
  took({ name }: Windowed, tokens: number): void {
    if (tokens < (this.#now(this.#taken, name) ?? 0)) return;
    this.#taken.set(name, { tokens, until: this.#clock.elapsed() + statedMs });
    if (tokens > (this.#now(this.#windows, name) ?? tokens)) this.#windows.delete(name);
  }

  /** `askedTokens`: what the request took that was refused; without a number of the server, the window is less than that. */
  note({ name }: Windowed, { windowTokens }: ModelFailure, askedTokens: number | undefined): void {
    const below = askedTokens === undefined ? undefined : Math.floor(askedTokens * belowRefused);
    const tokens = windowTokens ?? below;
    if (tokens === undefined || tokens < leastStated || tokens < (this.#now(this.#taken, name) ?? 0)) return;
    this.#windows.set(name, { tokens, until: this.#clock.elapsed() + statedMs });
  }

  #now(all: Known, name: string): number | undefined {
    const known = all.get(name);
    return known === undefined || known.until <= this.#clock.elapsed() ? undefined : known.tokens;
  }
}

/** Which models can take one request, as far as one can tell before they are asked, and as they say themselves. */
export class Windows {
  /** As the request says. */
  readonly takes: number | undefined;
  readonly #stated: StatedWindows;
  /** What has refused it was no larger; Infinity where that is not known. */
  #above: number | undefined;
  #full: ModelFailure | undefined;
  #largestPassedBy = 0;

  constructor({ estimatedTokens }: ModelRequest, stated: StatedWindows) {
    this.takes = estimatedTokens;
    this.#stated = stated;
  }

  /** Whether to ask this model. After a refusal only larger ones are worth it. */
  fits(model: Windowed): boolean {
    const contextTokens = this.#stated.of(model);
    if (this.#above !== undefined) return contextTokens !== undefined && contextTokens > this.#above;
    if (contextTokens === undefined || this.takes === undefined || contextTokens >= this.takes) return true;
    this.#largestPassedBy = Math.max(this.#largestPassedBy, contextTokens);
    return false;
  }

  /** A model has said that it is too long. */
  refused({ contextTokens }: Windowed, failure: ModelFailure): void {
    const windowTokens = failure.windowTokens ?? this.#belowAsked(contextTokens);
    this.#above = Math.max(this.#above ?? 0, windowTokens ?? Number.POSITIVE_INFINITY);
    if (windowTokens !== undefined && windowTokens < (this.#full?.windowTokens ?? 0)) return;
    this.#full = { ...failure, ...(windowTokens !== undefined && { windowTokens }) };
  }

  /** It has refused less than it is configured with. */
  #belowAsked(contextTokens: number | undefined): number | undefined {
    if (this.takes === undefined) return contextTokens;
    return Math.min(contextTokens ?? Number.POSITIVE_INFINITY, Math.floor(this.takes * belowRefused));
  }

  /** That the request is too long for those that could have been asked; nothing when none was too small. */
  failure(): ModelFailure | undefined {
    if (this.#largestPassedBy <= (this.#full?.windowTokens ?? 0) || this.#above === Number.POSITIVE_INFINITY)
      return this.#full;
    const windowTokens = this.#largestPassedBy;
    const message = `the request takes about ${this.takes} tokens, and the largest window to be had takes ${windowTokens}`;
    return { kind: "context_full", message, visible: false, windowTokens, guessed: true };
  }
}
