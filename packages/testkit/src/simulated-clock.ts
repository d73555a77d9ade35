import type { Clock } from "@talaria/protocol";

export interface SimulatedClock extends Clock {
  /**
   * Moves time forward and wakes sleepers in the order of their times; those due together wake in the order they fell asleep.
   * What a sleeper starts when it wakes (also new sleeps within `ms`) happens at its own time, before later ones wake.
   */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forward or, with a negative number, back. No time passes, and nobody wakes. */
  jump(ms: number): void;
  /** How many sleeps and timers are waiting. */
  readonly waiting: number;
  /** Milliseconds until the next one, or undefined. */
  nextIn(): number | undefined;
  /** Calls back once after `ms` of simulated time. */
  setTimeout(callback: () => void, ms: number): SimulatedTimer;
  clearTimeout(timer: SimulatedTimer | undefined): void;
}

export interface SimulatedTimer {
  readonly dueAt: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until `advance` is called. */
export function createSimulatedClock(startMs = Date.UTC(2026, 0, 1)): SimulatedClock {
  const timers = new Set<SimulatedTimer>();
  let current = 0;
  let wallAhead = startMs;
  let created = 0;

  function next(): SimulatedTimer | undefined {
    let first: SimulatedTimer | undefined;
    for (const timer of timers) if (first === undefined || isBefore(timer, first)) first = timer;
    return first;
  }

  function start(run: () => void, ms: number): SimulatedTimer {
    created += 1;
    const timer = { dueAt: current + Math.max(0, ms), order: created, run };
    timers.add(timer);
    return timer;
  }

  return {
    now: () => wallAhead + current,
    elapsed: () => current,

    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const onAbort = () => {
          timers.delete(timer);
          reject(signal?.reason);
        };
        const timer = start(() => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        }, ms);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },

    jump(ms) {
      wallAhead += ms;
    },

    async advance(ms) {
      const end = current + ms;
      await settled();
      for (let timer = next(); timer !== undefined && timer.dueAt <= end; timer = next()) {
        timers.delete(timer);
        current = Math.max(current, timer.dueAt);
        timer.run();
        await settled();
      }
      current = end;
    },

    get waiting() {
      return timers.size;
    },

    nextIn() {
      const timer = next();
      return timer && timer.dueAt - current;
    },

    setTimeout: (callback, ms) => start(callback, ms),

    clearTimeout(timer) {
      if (timer) timers.delete(timer);
    },
  };
}

function isBefore(one: SimulatedTimer, other: SimulatedTimer): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);
}

/** Lets everything that waits only for promises run before time moves on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
