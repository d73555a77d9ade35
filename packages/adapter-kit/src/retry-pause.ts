import { createHash } from "node:crypto";
import { type Backoff, backoffMs, isGatewayError } from "@talaria/protocol";

/** No platform is left alone for longer, whatever it asks; a timer could not wait much longer either. */
const longestAskedMs = 24 * 60 * 60_000;

/**
 * The wait after so many failures in a row: grows as `backoff` says, and is never shorter than the error asks for, up to a
 * day. How much it is shortened follows from seed and count, so accounts that failed together do not come back together.
 */
export function retryPauseMs(failures: number, backoff: Backoff, seed: string, error?: unknown): number {
  const asked = isGatewayError(error) ? error.retryAfterMs || 0 : 0;
  const digest = createHash("sha256").update(`${seed}/${failures}`).digest();
  const grown = backoffMs(failures, backoff, digest.readUInt32BE(0) / 2 ** 32);
  return Math.max(grown, Math.min(asked, longestAskedMs));
}
