import { GraphError } from "./graph-error.ts";

export interface WhatsappLimits {
  /** Messages to one person: a burst of `pairBurst`, then one each `pairRefillMs`. */
  readonly pairBurst: number;
  readonly pairRefillMs: number;
  /** Messages of the number per second. */
  readonly perSecond: number;
}

/** Meta's page on throughput: one in six seconds per pair after up to 45 at once, 80 per second per number. */
export const realWhatsappLimits: WhatsappLimits = { pairBurst: 45, pairRefillMs: 6_000, perSecond: 80 };

export class SendLimits {
  readonly #limits: WhatsappLimits;
  readonly #pairs = new Map<string, { used: number; at: number }>();
  #second = { startedAt: 0, count: 0 };
  /** Calls that were refused. */
  refused = 0;

  constructor(limits: WhatsappLimits) {
    this.#limits = limits;
  }

  /** Counts one message, or throws 130429 or 131056. */
  admit(personId: string, now: number): void {
    const { pairBurst, pairRefillMs, perSecond } = this.#limits;
    if (now - this.#second.startedAt >= 1_000) this.#second = { startedAt: now, count: 0 };
    if (this.#second.count >= perSecond) this.#refuse(130429, "Cloud API message throughput has been reached.");
    const pair = this.#pairs.get(personId) ?? { used: 0, at: now };
    const used = Math.max(0, pair.used - (now - pair.at) / pairRefillMs);
    if (used + 1 > pairBurst)
      this.#refuse(131056, "Too many messages sent from the sender phone number to the same recipient.");
    this.#second.count += 1;
    this.#pairs.set(personId, { used: used + 1, at: now });
  }

  #refuse(code: number, details: string): never {
    this.refused += 1;
    throw new GraphError(code, details);
  }
}
