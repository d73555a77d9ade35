import { type Clock, isGatewayError } from "@talaria/protocol";

/** Attempts at a call whose platform limits us, each after the pause that it asks for, a minute at most. */
const maxTries = 3;
const longestPauseMs = 60_000;

/** A call that nobody waits for, made again when the platform asks to slow down. Throws what the last attempt throws. */
export async function patiently<T>(
  call: (signal: AbortSignal) => Promise<T>,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await call(signal);
    } catch (error) {
      if (!isGatewayError(error, "rate_limited") || tries >= maxTries) throw error;
      await clock.sleep(Math.min(error.retryAfterMs ?? 1_000, longestPauseMs), signal);
    }
  }
}
