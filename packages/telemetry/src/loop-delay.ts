import { monitorEventLoopDelay } from "node:perf_hooks";

const resolutionMs = 20;
/** Measuring wakes the process 50 times a second, so it stops this long after the last activity. */
const restAfterMs = 5_000;

/** Seconds that the event loop was late, since the last reading: the median, the 99th percentile, the longest. */
export interface LoopDelays {
  readonly median: number;
  readonly high: number;
  readonly longest: number;
}

export interface LoopWatch {
  /** There is activity: measure. */
  stir(): void;
  /** The highest values of the active periods since the last reading; 0 if there was none. */
  read(): LoopDelays;
  close(): void;
}

const none: LoopDelays = { median: 0, high: 0, longest: 0 };

/** Measures how late the event loop is while there is work, from the start on. An idle process is left asleep. */
export function watchLoop(restMs = restAfterMs): LoopWatch {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  let worst = none;
  let isMeasuring = false;
  // In the next phase, so that the monitor has seen a delay that lasted until now.
  const rest = setTimeout(() => setImmediate(pause), restMs).unref();

  function measured(): LoopDelays {
    const at = (percentile: number) => beyondTimer(delay.percentile(percentile));
    return { median: at(50), high: at(99), longest: beyondTimer(delay.max) };
  }

  function pause(): void {
    if (!isMeasuring) return;
    worst = worse(worst, measured());
    delay.disable();
    isMeasuring = false;
  }

  function stir(): void {
    rest.refresh();
    if (isMeasuring) return;
    isMeasuring = true;
    // Else the time in which nothing was measured would count as one long delay.
    delay.reset();
    delay.enable();
  }

  stir();
  return {
    stir,
    read() {
      const found = isMeasuring ? worse(worst, measured()) : worst;
      worst = none;
      if (isMeasuring) delay.reset();
      return found;
    },
    close() {
      clearTimeout(rest);
      isMeasuring = false;
      delay.disable();
    },
  };
}

/** The monitor's own timer is part of what it measures, and without a sample its figures mean nothing. */
function beyondTimer(nanoseconds: number): number {
  const seconds = nanoseconds / 1e9 - resolutionMs / 1e3;
  return seconds > 0 && Number.isFinite(seconds) ? seconds : 0;
}

function worse(one: LoopDelays, other: LoopDelays): LoopDelays {
  return {
    median: Math.max(one.median, other.median),
    high: Math.max(one.high, other.high),
    longest: Math.max(one.longest, other.longest),
  };
}
