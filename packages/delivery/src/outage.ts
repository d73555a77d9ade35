import type { Clock } from "@talaria/protocol";
import type { Hurried } from "@talaria/store";

const firstMs = 2_000;
const longestMs = 5 * 60_000;
/** Whoever was sent again less often may take a turn so much earlier: as long as it may take until the outbox is read again. */
const headStartMs = 10_000;
/**
 * Texts that were not taken are woken when another one is. Those that are not taken even then are woken after pauses that grow as those of
 * the turns do, until none was refused for so long.
 */
const calmMs = 2 * longestMs;

/**
 * Whether the platform takes what one account posts, as far as its posts tell. While their outcomes are unknown, what has to be
 * sent again takes turns: one text after the other, at intervals that grow with the time it lasts, first those that were sent again
 * least often, since each time may be one more copy. A message that is posted ends it.
 * In memory only: whoever takes the account over finds out anew.
 */
export class Outage {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #over: (which: Hurried) => void;
  #since: number | undefined;
  #nextAt = 0;
  /** How often the one was sent again that was sent again least often, of those who wait for the next turn. */
  #fewest = Number.POSITIVE_INFINITY;
  /** Texts may wait for its end, at first those of an earlier gateway. */
  #isWaitedFor = true;
  #isRefused = true;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #wakesFrom = Number.NEGATIVE_INFINITY;
  #wakePauseMs = firstMs;

  /** `over` is called when the platform took a message and texts may wait for that, with which. */
  constructor(clock: Pick<Clock, "elapsed">, over: (which: Hurried) => void) {
    this.#clock = clock;
    this.#over = over;
  }

  /** Posts end with unknown outcomes. */
  get isOn(): boolean {
    return this.#since !== undefined;
  }

  /** A post ended with an unknown outcome. */
  failed(): void {
    this.#isWaitedFor = true;
    if (this.#since !== undefined) return;
    this.#since = this.#clock.elapsed();
    this.#nextAt = this.#since + firstMs;
  }

  /** A message was certainly not taken, and the platform did not say when to come again. */
  refused(): void {
    const now = this.#clock.elapsed();
    if (now - this.#refusedAt > calmMs) this.#wakePauseMs = firstMs;
    this.#refusedAt = now;
    this.#isRefused = true;
  }

  /** A message was posted. */
  worked(): void {
    this.#since = undefined;
    const doubtful = this.#isWaitedFor;
    this.#isWaitedFor = false;
    this.#wake(doubtful);
  }

  /** A message was edited, or the account has connected: that says nothing of posts whose outcomes are unknown. */
  reached(): void {
    this.#wake(false);
  }

  #wake(doubtful: boolean): void {
    const now = this.#clock.elapsed();
    const refused = this.#isRefused && now >= this.#wakesFrom;
    if (refused) {
      this.#isRefused = false;
      this.#wakesFrom = now + this.#wakePauseMs;
      this.#wakePauseMs = Math.min(longestMs, 2 * this.#wakePauseMs);
    }
    if (doubtful || refused) this.#over({ doubtful, refused });
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
