import type { Log, SessionKey } from "@talaria/protocol";
import type { WakeQueue } from "@talaria/queue";
import type { TurnStore } from "@talaria/store";

/** The pause after a sweep that found sessions or failed, before jitter. */
const busyMs = 2_000;
/**
 * The pause is at least this many times as long as the sweep took, so that a backlog does not keep the database busy.
 */
const restFactor = 4;

/**
 * Finds sessions that have work but no living holder, and wakes them: after a crash between commit and wake-up, after
 * the queue lost its data, after the death of a worker. Sweeps page by page, every `quietMs`, and sooner after a sweep
 * that found something. `sweepNow` is for when a worker is known to have died. Several workers may sweep; the queue removes duplicate wake-ups.
 */
export function startSweeper(
  turns: Pick<TurnStore, "stranded">,
  wakes: Pick<WakeQueue, "rewake">,
  quietMs: number,
  random: () => number,
  log: Log,
): { sweepNow(): void; stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  /** The position from which a failed sweep continues. */
  let after: SessionKey | undefined;

  /** Returns how many sessions were woken. */
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
    sweepNow: () => {
      if (stopped) return;
      clearTimeout(timer);
      running = running.then(() => {
        clearTimeout(timer);
        return stopped ? undefined : sweep();
      });
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
