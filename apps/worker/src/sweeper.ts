import type { Log, SessionKey } from "@talaria/protocol";
import type { WakeQueue } from "@talaria/queue";
import type { TurnStore } from "@talaria/store";

/** The pause before the next look, before jitter, when this one found sessions or failed. */
const busyMs = 2_000;
/** The pause is at least this many times as long as the look took: a backlog must not keep the database busy. */
const restFactor = 4;

/**
 * Finds sessions with work and no living holder and wakes them: after a crash between commit and wake-up, after the
 * queue's memory was wiped, after a worker's death. Goes through all of them page by page, again every `quietMs`, and soon
 * when there was something to find. Several workers sweep; the wake-ups are deduplicated.
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
  /** Where a sweep that failed goes on. */
  let after: SessionKey | undefined;

  /** Answers how many sessions were woken. */
  const sweepAll = async (): Promise<number> => {
    let woken = 0;
    do {
      const { sessions, next } = await turns.stranded(after);
      await Promise.all(sessions.map(({ sessionKey, fence }) => wakes.rewake(sessionKey, fence)));
      woken += sessions.length;
      after = next;
    } while (after !== undefined && !stopped);
    return woken;
  };

  const sweep = async (): Promise<void> => {
    const begun = performance.now();
    let pauseMs = Math.min(busyMs, quietMs);
    try {
      const woken = await sweepAll();
      if (woken > 0) log.info({ count: woken }, "stranded sessions woken");
      else pauseMs = quietMs;
    } catch (error) {
      log.warn({ error }, "the sweep for stranded sessions failed");
    }
    if (!stopped) schedule(Math.max(pauseMs, restFactor * (performance.now() - begun)));
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
