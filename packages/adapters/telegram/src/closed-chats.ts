import { type Clock, GatewayError } from "@talaria/protocol";

/** A chat that refused us is asked again after so long, even when nobody wrote there. */
const closedMs = 10 * 60_000;
/** Chats remembered; the oldest are forgotten first, and cost one call each to learn of again. */
const maxChats = 10_000;

/**
 * Remembers which chats answer 403: the person blocked the bot, deleted the account, or threw it out. We do not hammer
 * them. A chat opens when something comes in from it, and by itself after ten minutes.
 */
export class ClosedChats {
  readonly #clock: Clock;
  readonly #closedUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  close(chatId: string): void {
    this.#closedUntil.delete(chatId);
    this.#closedUntil.set(chatId, this.#clock.elapsed() + closedMs);
    for (const oldest of this.#closedUntil.keys()) {
      if (this.#closedUntil.size <= maxChats) break;
      this.#closedUntil.delete(oldest);
    }
  }

  open(chatId: string): void {
    this.#closedUntil.delete(chatId);
  }

  /** Throws `forbidden`, with no effect, for a chat that refused us a short while ago. */
  check(chatId: string): void {
    const until = this.#closedUntil.get(chatId);
    if (until === undefined) return;
    if (this.#clock.elapsed() >= until) {
      this.open(chatId);
      return;
    }
    throw new GatewayError("telegram recently answered that this chat refuses the bot", {
      code: "forbidden",
      effect: "none",
      details: { reason: "closed" },
    });
  }
}
