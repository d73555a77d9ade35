import { tooManyRequests } from "./api-error.ts";
import { BoundedMap } from "./bounded-map.ts";

export interface Allowance {
  /** How many calls are free ... */
  readonly calls: number;
  /** ... within this many milliseconds. */
  readonly perMs: number;
}

export interface TelegramLimits {
  /** One private chat: sends and edits. Spread out evenly after a burst of `calls`. */
  readonly direct: Allowance;
  /** One group: sends and edits, counted in a sliding window. */
  readonly group: Allowance;
  /** All chats of one bot together, counted in a sliding window. Drafts count here and nowhere else. */
  readonly overall: Allowance;
}

/** Telegram does not publish its limits; these are the figures bots live by: 1/s after a small burst, 20/min, 30/s. */
export const realLimits: TelegramLimits = {
  direct: { calls: 5, perMs: 5_000 },
  group: { calls: 20, perMs: 60_000 },
  overall: { calls: 30, perMs: 1_000 },
};

const rememberedChats = 50_000;

/** Decides for one bot whether a call is let through. Constant time per call. */
export class RateLimits {
  readonly #limits: TelegramLimits;
  readonly #overall: Gate;
  readonly #chats = new BoundedMap<number, Gate>(rememberedChats);
  /** Calls made although a 429 had said how long to wait: a polite bot has none. */
  callsIntoClosedWindow = 0;

  constructor(limits: TelegramLimits) {
    this.#limits = limits;
    this.#overall = new SlidingWindow(limits.overall);
  }

  /**
   * Counts `cost` messages, or throws `ApiError` 429. `chat` is undefined for calls that only count overall.
   * @param now milliseconds
   */
  admit(chat: { readonly id: number; readonly isGroup: boolean } | undefined, cost: number, now: number): void {
    const gates = chat === undefined ? [this.#overall] : [this.#gateOf(chat), this.#overall];
    for (const gate of gates) {
      if (now < gate.closedUntil) {
        this.callsIntoClosedWindow += 1;
        throw tooManyRequests(Math.ceil((gate.closedUntil - now) / 1_000));
      }
    }
    for (const gate of gates) {
      const waitMs = gate.waitMs(cost, now);
      if (waitMs === 0) continue;
      const retryAfter = Math.ceil(waitMs / 1_000);
      gate.closedUntil = now + retryAfter * 1_000;
      throw tooManyRequests(retryAfter);
    }
    for (const gate of gates) gate.count(cost, now);
  }

  #gateOf(chat: { readonly id: number; readonly isGroup: boolean }): Gate {
    const known = this.#chats.get(chat.id);
    if (known) return known;
    const gate = chat.isGroup ? new SlidingWindow(this.#limits.group) : new TokenBucket(this.#limits.direct);
    this.#chats.set(chat.id, gate);
    return gate;
  }
}

interface Gate {
  closedUntil: number;
  /** How long until `cost` calls fit; 0 when they fit now. */
  waitMs(cost: number, now: number): number;
  count(cost: number, now: number): void;
}

class SlidingWindow implements Gate {
  readonly #allowance: Allowance;
  readonly #times: number[] = [];
  closedUntil = 0;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  waitMs(cost: number, now: number): number {
    while (this.#times[0] !== undefined && this.#times[0] <= now - this.#allowance.perMs) this.#times.shift();
    const excess = this.#times.length + cost - this.#allowance.calls;
    if (excess <= 0 || this.#times.length === 0) return 0;
    const leaves = this.#times[Math.min(excess, this.#times.length) - 1] ?? now;
    return Math.max(1, leaves + this.#allowance.perMs - now);
  }

  count(cost: number, now: number): void {
    for (let index = 0; index < cost; index++) this.#times.push(now);
  }
}

class TokenBucket implements Gate {
  readonly #allowance: Allowance;
  #used = 0;
  #updatedAt = 0;
  closedUntil = 0;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  waitMs(cost: number, now: number): number {
    this.#drain(now);
    const excess = this.#used + cost - this.#allowance.calls;
    if (excess <= 0 || this.#used === 0) return 0;
    return Math.max(1, (excess * this.#allowance.perMs) / this.#allowance.calls);
  }

  count(cost: number, now: number): void {
    this.#drain(now);
    this.#used += cost;
  }

  #drain(now: number): void {
    const drained = ((now - this.#updatedAt) * this.#allowance.calls) / this.#allowance.perMs;
    this.#used = Math.max(0, this.#used - drained);
    this.#updatedAt = now;
  }
}
