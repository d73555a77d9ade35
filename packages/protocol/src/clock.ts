/** Time as it is passed in, so that a test can own it. */
export interface Clock {
  /** Milliseconds since 1970, for what people, platforms and the database see. It may jump by hours, both ways. */
  now(): number;
  /** Milliseconds since an arbitrary moment, 0 or more. It only runs forward: every wait, timeout and pace is counted by it. */
  elapsed(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. Only `apps/` hand it out. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  // Not the one of node:timers/promises: it makes an error with a stack for each timer that is ended early, as most are.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const end = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", end);
        resolve();
      }, ms);
      signal?.addEventListener("abort", end, { once: true });
    }),
};
