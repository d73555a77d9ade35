/** What one bucket bears. */
export interface DiscordLimits {
  readonly burst: number;
  readonly windowMs: number;
}

/** About what Discord's headers say for messages of one channel. */
export const usualLimits: DiscordLimits = { burst: 5, windowMs: 5_000 };

interface Window {
  used: number;
  endsAt: number;
}

export interface BucketState {
  readonly isOver: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs: number;
}

/** Buckets per route and channel, with the headers that tell clients about them. */
export class RateLimits {
  /** Calls that came although a 429 had told the client to wait. */
  callsIntoClosedWindow = 0;
  readonly #limits: DiscordLimits;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(limits: DiscordLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  spend(route: string, major: string): BucketState {
    const { burst, windowMs } = this.#limits;
    const now = this.#now();
    const key = `${route}:${major}`;
    const known = this.#windows.get(key);
    const window = known !== undefined && known.endsAt > now ? known : { used: 0, endsAt: now + windowMs };
    this.#windows.set(key, window);
    window.used += 1;
    if (window.used > burst + 1) this.callsIntoClosedWindow += 1;
    const retryAfterMs = window.endsAt - now;
    const headers = {
      "x-ratelimit-bucket": `bucket-${route}`,
      "x-ratelimit-limit": String(burst),
      "x-ratelimit-remaining": String(Math.max(0, burst - window.used)),
      "x-ratelimit-reset": (window.endsAt / 1_000).toFixed(3),
      "x-ratelimit-reset-after": (retryAfterMs / 1_000).toFixed(3),
    };
    return { isOver: window.used > burst, headers, retryAfterMs };
  }
}
