import type { Log } from "@talaria/protocol";
import type { WakeQueue } from "@talaria/queue";
import type { TurnStore } from "@talaria/store";

/** The pause before the next look, before jitter, when this one found sessions or failed. */
const busyMs = 2_000;
const atOnce = 200;

/**
 * Finds sessions with work and no living holder and wakes them: after a crash between commit and wake-up, after the
 * queue's memory was wiped, after a worker's death. Looks again every `quietMs`, and soon when there was something to
 * find. Several workers sweep; the wake-ups are deduplicated.
 */
export function startSweeper(
  turns: Pick<TurnStore, "stranded">,
  wakes: Pick<WakeQueue, "rewake">,
  quietMs: number,
  random: () => number,
  log: Log,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const sweep = async (): Promise<void> => {
    let pauseMs = Math.min(busyMs, quietMs);
    try {
      const stranded = await turns.stranded(atOnce);
      await Promise.all(stranded.map(({ sessionKey, fence }) => wakes.rewake(sessionKey, fence)));
      if (stranded.length > 0) log.info({ count: stranded.length }, "stranded sessions woken");
      else pauseMs = quietMs;
    } catch (error) {
      log.warn({ error }, "the sweep for stranded sessions failed");
    }
    if (!stopped) schedule(pauseMs);
  };
  const schedule = (pauseMs: number): void => {
    timer = setTimeout(
      () => {
        running = sweep();
      },
      pauseMs * (0.5 + random()),
    );
  };

  running = sweep();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
