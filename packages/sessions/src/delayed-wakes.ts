import type { Clock, SessionKey } from "@talaria/protocol";

/** Wake-ups to come; beyond, the sweeper wakes. */
const maxTimers = 10_000;
/** The database decides when an event is ready; its answer came back a moment later than it was given. */
const marginMs = 20;

export interface DelayedWakes {
  /** Wakes a session in `ms`. Said again with the same `cause` before it is due, the later time counts. */
  wakeIn(sessionKey: SessionKey, cause: string, ms: number): void;
  /** Forgets what is to come: the sweeper finds it. */
  stop(): void;
}

/**
 * Timers for sessions whose waiting events are not ready yet. A timer of this process and not a delayed job of the queue:
 * it costs no round trip for each part of an album and cannot swallow an ordinary wake-up; when the process dies, the
 * sweeper finds the session a few seconds late.
 */
export function createDelayedWakes(wake: (sessionKey: SessionKey) => void, clock: Clock): DelayedWakes {
  const timers = new Map<string, { at: number }>();
  const stopping = new AbortController();

  function wakeIn(sessionKey: SessionKey, cause: string, ms: number): void {
    const id = `${sessionKey} ${cause}`;
    const known = timers.get(id);
    const at = clock.elapsed() + ms + marginMs;
    if (known !== undefined) {
      known.at = Math.max(known.at, at);
      return;
    }
    if (timers.size >= maxTimers || stopping.signal.aborted) return;
    const timer = { at };
    timers.set(id, timer);
    void run(id, sessionKey, timer);
  }

  /** Never rejects. */
  async function run(id: string, sessionKey: SessionKey, timer: { readonly at: number }): Promise<void> {
    try {
      for (let left = timer.at - clock.elapsed(); left > 0; left = timer.at - clock.elapsed()) {
        await clock.sleep(left, stopping.signal);
      }
    } catch {
      return;
    }
    timers.delete(id);
    wake(sessionKey);
  }

  return { wakeIn, stop: () => stopping.abort() };
}
