import { type Clock, GatewayError } from "@talaria/protocol";
import type { DiscordClient } from "./client.ts";
import { read } from "./wire.ts";

/** Discord resets the token of a bot that opens a thousand sessions in a day. These stay untouched. */
const reserve = 50;
/** Discord takes one new session in five seconds. */
const pauseMs = 5_000;

/** Opens sessions no faster than Discord allows, and never the last ones of a day. */
export class SessionStarts {
  readonly #clock: Clock;
  #remaining = 0;
  #resetAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks Discord how many are left. Throws `rate_limited` when they are to be spared, and what the call throws. */
  async refresh(client: DiscordClient, signal: AbortSignal): Promise<void> {
    const info = read.gatewayInfo(await client.call({ method: "GET", path: "/gateway/bot" }, signal));
    if (info === undefined)
      throw new GatewayError("discord returned no session limits for its gateway", { code: "unavailable" });
    const { remaining, reset_after: resetAfterMs } = info.session_start_limit;
    this.#remaining = remaining;
    this.#resetAt = this.#clock.elapsed() + resetAfterMs;
    if (remaining <= reserve) throw this.#exhausted();
  }

  /** Resolves when one may be opened. When they are to be spared, calls `spared` and waits until `closed`. */
  async take(closed: AbortSignal, spared: (error: GatewayError) => void): Promise<void> {
    if (this.#remaining <= reserve) {
      spared(this.#exhausted());
      await new Promise((_, reject) => closed.addEventListener("abort", () => reject(closed.reason), { once: true }));
    }
    const waitMs = this.#lastAt + pauseMs - this.#clock.elapsed();
    if (waitMs > 0) await this.#clock.sleep(waitMs, closed);
    this.#lastAt = this.#clock.elapsed();
    this.#remaining -= 1;
  }

  #exhausted(): GatewayError {
    const retryAfterMs = Math.max(60_000, this.#resetAt - this.#clock.elapsed());
    const details = { remaining: this.#remaining };
    return new GatewayError("the day's new sessions are used up", { code: "rate_limited", retryAfterMs, details });
  }
}
