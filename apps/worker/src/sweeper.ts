import type { Log } from "@talaria/protocol";
import type { WakeQueue } from "@talaria/queue";
import type { TurnStore } from "@talaria/store";

/** Pause between two looks, before jitter. */
const sweepMs = 2_000;
const atOnce = 200;

/**
 * Finds sessions with work and no living holder and wakes them: after a crash between commit and wake-up, after the
 * queue's memory was wiped, after a worker's death. Several workers sweep; the wake-ups are deduplicated.
 */
export function startSweeper(
  turns: Pick<TurnStore, "stranded">,
  wakes: Pick<WakeQueue, "rewake">,
  random: () => number,
  log: Log,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const sweep = async (): Promise<void> => {
    try {
      const stranded = await turns.stranded(atOnce);
      await Promise.all(stranded.map(({ sessionKey, fence }) => wakes.rewake(sessionKey, fence)));
      if (stranded.length > 0) log.info({ count: stranded.length }, "stranded sessions woken");
    } catch (error) {
      log.warn({ error }, "the sweep for stranded sessions failed");
    }
    if (!stopped) schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(
      () => {
        running = sweep();
      },
      sweepMs * (0.5 + random()),
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
