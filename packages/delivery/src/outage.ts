import type { Clock } from "@talaria/protocol";

const firstMs = 2_000;
const longestMs = 5 * 60_000;
/** Whoever was sent again less often may take a turn so much earlier: as long as it may take until the outbox is read again. */
const headStartMs = 10_000;

/**
 * Whether the platform takes what one account posts, as far as its posts tell. While their outcomes are unknown, what has to be
 * sent again takes turns: one text after the other, at intervals that grow with the time it lasts, first those that were sent again
 * least often, since each time may be one more copy. A message that is posted ends it.
 * In memory only: whoever takes the account over finds out anew.
 */
export class Outage {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #over: () => void;
  #since: number | undefined;
  #nextAt = 0;
  /** How often the one was sent again that was sent again least often, of those who wait for the next turn. */
  #fewest = Number.POSITIVE_INFINITY;
  /** Texts may wait for its end, at first those of an earlier gateway. */
  #isWaitedFor = true;

  /** `over` is called when a message is posted and texts may wait for that. */
  constructor(clock: Pick<Clock, "elapsed">, over: () => void) {
    this.#clock = clock;
    this.#over = over;
  }

  /** A post ended with an unknown outcome. */
  failed(): void {
    this.#isWaitedFor = true;
    if (this.#since !== undefined) return;
    this.#since = this.#clock.elapsed();
    this.#nextAt = this.#since + firstMs;
  }

  /** A message was posted. */
  worked(): void {
    this.#since = undefined;
    if (!this.#isWaitedFor) return;
    this.#isWaitedFor = false;
    this.#over();
  }

  /**
   * Takes the next turn for a text that was sent again `repeats` times and returns 0; otherwise returns how many milliseconds, a whole
   * number, to wait before asking again.
   */
  turnInMs(repeats: number): number {
    if (this.#since === undefined) return 0;
    const now = this.#clock.elapsed();
    const at = this.#nextAt + (repeats > this.#fewest ? headStartMs : 0);
    if (now < at) {
      this.#fewest = Math.min(this.#fewest, repeats);
      return Math.ceil(at - now);
    }
    this.#fewest = Number.POSITIVE_INFINITY;
    this.#nextAt = now + Math.min(longestMs, Math.max(firstMs, now - this.#since));
    return 0;
  }

  /** The platform does not answer now either. Returns how many milliseconds to wait. */
  unanswered(): number {
    this.failed();
    return Math.max(firstMs, Math.ceil(this.#nextAt - this.#clock.elapsed()));
  }
}
