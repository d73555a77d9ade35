import type { Pace } from "@talaria/adapter";
import type { Clock, ConversationId } from "@talaria/protocol";

/** Buckets kept. Beyond that, full and open ones are forgotten, which changes nothing. */
const maxBuckets = 5_000;
/** A platform that goes on limiting is left alone for twice as long each time, up to this. */
const longestGrownMs = 60_000;
const firstGrownMs = 1_000;

interface Bucket {
  tokens: number;
  /** The time for which `tokens` is right, in milliseconds since 1970. */
  countedAt: number;
  pace: Pace;
  /** The platform forbids calls before this time. */
  closedUntil: number;
  /** How often it did so since a call went through. */
  closings: number;
}

/** One token bucket per conversation for everything that is written there: sends, edits and previews. */
export class Pacing {
  readonly #clock: Clock;
  readonly #buckets = new Map<ConversationId, Bucket>();
  readonly #account: Bucket | undefined;
  #closedUntil = 0;

  /** With `accountPace`, all conversations together draw on a second bucket. */
  constructor(clock: Clock, accountPace?: Pace) {
    this.#clock = clock;
    this.#account = accountPace && newBucket(accountPace, clock.elapsed());
  }

  /** Waits for a token and takes it. Rejects with the signal's reason. */
  async take(conversation: ConversationId, pace: Pace, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const waitMs = this.tryTake(conversation, pace);
      if (waitMs === 0) return;
      await this.#clock.sleep(waitMs, signal);
    }
  }

  /** Takes a token and returns 0; otherwise returns how many milliseconds to wait before asking again. */
  tryTake(conversation: ConversationId, pace: Pace): number {
    return this.#takeAbove(conversation, pace, 0);
  }

  /** Like `tryTake`, but leaves the last token for the final text. A bucket of one has no token to leave. */
  tryTakeForPreview(conversation: ConversationId, pace: Pace): number {
    return this.#takeAbove(conversation, pace, pace.burst > 1 ? 1 : 0);
  }

  /**
   * Forbids calls to one conversation for some time, or to all if none is given. In a conversation in which nothing went through since
   * the last time, the time grows.
   */
  close(conversation: ConversationId | undefined, pace: Pace, forMs: number): void {
    const now = this.#clock.elapsed();
    if (conversation === undefined) this.#closedUntil = Math.max(this.#closedUntil, now + forMs);
    else {
      const bucket = this.#bucketOf(conversation, pace);
      const grownMs = Math.min(longestGrownMs, firstGrownMs * 2 ** (bucket.closings - 1));
      bucket.closings += 1;
      bucket.closedUntil = Math.max(bucket.closedUntil, now + Math.max(forMs, grownMs));
    }
  }

  /** A call there went through. */
  worked(conversation: ConversationId): void {
    const bucket = this.#buckets.get(conversation);
    if (bucket !== undefined) bucket.closings = 0;
  }

  /** How much longer the platform forbids calls there; 0 if it does not. */
  closedForMs(conversation: ConversationId): number {
    const until = Math.max(this.#closedUntil, this.#buckets.get(conversation)?.closedUntil ?? 0);
    return Math.max(0, until - this.#clock.elapsed());
  }

  get size(): number {
    return this.#buckets.size;
  }

  #takeAbove(conversation: ConversationId, pace: Pace, reserve: number): number {
    const closedMs = this.closedForMs(conversation);
    if (closedMs > 0) return closedMs;
    const now = this.#clock.elapsed();
    const buckets = [this.#bucketOf(conversation, pace), ...(this.#account ? [this.#account] : [])];
    const waitMs = Math.max(...buckets.map((bucket) => missingMs(bucket, reserve + 1, now)));
    if (waitMs > 0) return waitMs;
    for (const bucket of buckets) bucket.tokens -= 1;
    return 0;
  }

  #bucketOf(conversation: ConversationId, pace: Pace): Bucket {
    const found = this.#buckets.get(conversation);
    if (found !== undefined) {
      found.pace = pace;
      return found;
    }
    if (this.#buckets.size >= maxBuckets) this.#forgetIdle();
    const bucket = newBucket(pace, this.#clock.elapsed());
    this.#buckets.set(conversation, bucket);
    return bucket;
  }

  #forgetIdle(): void {
    const now = this.#clock.elapsed();
    for (const [conversation, bucket] of this.#buckets) {
      const isFull = missingMs(bucket, bucket.pace.burst, now) === 0;
      if (isFull && bucket.closedUntil <= now) this.#buckets.delete(conversation);
    }
  }
}

function newBucket(pace: Pace, now: number): Bucket {
  return { tokens: pace.burst, countedAt: now, pace, closedUntil: 0, closings: 0 };
}

/** Fills the bucket up to now and returns the milliseconds until it holds `wanted` tokens. */
function missingMs(bucket: Bucket, wanted: number, now: number): number {
  const { burst, refillMs } = bucket.pace;
  const gained = Math.floor((now - bucket.countedAt) / refillMs);
  if (gained > 0) {
    bucket.tokens = Math.min(burst, bucket.tokens + gained);
    bucket.countedAt = bucket.tokens === burst ? now : bucket.countedAt + gained * refillMs;
  }
  if (bucket.tokens === burst) bucket.countedAt = now;
  if (bucket.tokens >= wanted) return 0;
  return bucket.countedAt + (wanted - bucket.tokens) * refillMs - now;
}
