export interface Repeated {
  /** Does it now, unless it is under way. */
  now(): void;
  /** Ends the signal, and settles once nothing is under way any more. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  readonly everyMs: number;
  /** Do it now, too. Default: true. */
  readonly atOnce?: boolean;
  readonly failed: (error: unknown) => void;
}

/** Does `work` again and again, never twice at once: where it takes longer, a time is left out. What has failed is tried the next time. */
export function repeat(
  work: (signal: AbortSignal) => Promise<void>,
  { everyMs, atOnce = true, failed }: RepeatOptions,
): Repeated {
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= work(ending.signal)
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(run, everyMs);
  if (atOnce) run();
  return {
    now: run,
    stop: async () => {
      clearInterval(timer);
      ending.abort();
      await running;
    },
  };
}
