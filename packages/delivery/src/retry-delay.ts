import { backoffMs, type GatewayError } from "@talaria/protocol";

const firstMs = 1_000;
const longestMs = 5 * 60_000;
/** When a platform asks for a pause without saying how long. */
const unsaidPauseMs = 5_000;
/** No platform keeps a window closed for longer, and a timer could not wait much longer. */
const longestPauseMs = 24 * 60 * 60_000;

/** How long to wait after `attempts` calls: doubling from one second to five minutes, with jitter between half and all of it. */
export function retryDelayMs(attempts: number, random: () => number): number {
  return backoffMs(attempts, { firstMs, longestMs }, random());
}

/**
 * How long to wait before a part is sent again that was sent again `repeats` times: from five seconds, four times as long each
 * time, with jitter.
 */
export function repeatDelayMs(repeats: number, random: () => number): number {
  return backoffMs(1 + 2 * repeats, { firstMs: 5_000, longestMs: longestPauseMs }, random());
}

/** How long a rate-limiting platform asks us to wait, bounded to between a tenth of a second and a day. */
export function askedPauseMs({ retryAfterMs }: GatewayError): number {
  const asked = Number.isNaN(retryAfterMs) ? undefined : retryAfterMs;
  return Math.min(longestPauseMs, Math.max(100, asked ?? unsaidPauseMs));
}
