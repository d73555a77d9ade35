import { type Clock, GatewayError } from "@talaria/protocol";

/** Discord's heart beats about every 41 seconds, and each beat is acknowledged. */
const checkMs = 60_000;
const longestSilenceMs = 180_000;

/**
 * Rejects with `unavailable` when a connection that looks open has been silent for three minutes: no event, and no heartbeat
 * acknowledged. `lastSign` tells when it last gave a sign, as `Clock.elapsed` does. Resolves when `signal` is aborted.
 */
export async function watchSilence(clock: Clock, lastSign: () => number, signal: AbortSignal): Promise<void> {
  const since = clock.elapsed();
  while (!signal.aborted) {
    await clock.sleep(checkMs, signal).catch(() => undefined);
    const silentMs = clock.elapsed() - Math.max(since, lastSign());
    if (!signal.aborted && silentMs >= longestSilenceMs)
      throw new GatewayError("discord has been silent for too long", { code: "unavailable", details: { silentMs } });
  }
}
