import type { Clock } from "@talaria/protocol";

/** Resolves with the promise, which must not reject, or when the time is over or the signal aborts. */
export async function noLongerThan(
  ms: number,
  promise: Promise<unknown>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(ms, signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]));
  await Promise.race([promise, late.catch(() => undefined)]);
  over.abort();
}
