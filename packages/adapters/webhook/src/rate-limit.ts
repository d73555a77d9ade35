/** How many requests pass: `burst` at once, then `perMinute` more each minute, evenly. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** Limit of requests with a wrong signature where the route sets no rate of its own; above it they get a 429. */
const usualForUnproven: Rate = { perMinute: 60, burst: 60 };

/**
 * The budgets of one route: one for requests that are proven, another for those that are not, so that nobody without the
 * secret can use up what its owner needs. Counted by this gateway alone; nothing is kept per sender.
 */
export class RouteLimits {
  readonly #proven: TokenBucket | undefined;
  readonly #unproven: TokenBucket;

  constructor(rate: Rate | undefined) {
    this.#proven = rate && new TokenBucket(rate);
    this.#unproven = new TokenBucket(rate ?? usualForUnproven);
  }

  /** How long to wait, in ms, until a request would pass; 0 if this one passes, which is then counted. */
  waitMs(isProven: boolean, elapsedMs: number): number {
    return (isProven ? this.#proven : this.#unproven)?.take(elapsedMs) ?? 0;
  }
}

class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #countedAt: number | undefined;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  take(elapsedMs: number): number {
    const { perMinute, burst } = this.#rate;
    const passedMs = Math.max(0, elapsedMs - (this.#countedAt ?? elapsedMs));
    this.#tokens = Math.min(burst, this.#tokens + (passedMs * perMinute) / 60_000);
    this.#countedAt = elapsedMs;
    if (this.#tokens < 1) return Math.max(1, Math.ceil(((1 - this.#tokens) * 60_000) / perMinute));
    this.#tokens -= 1;
    return 0;
  }
}
