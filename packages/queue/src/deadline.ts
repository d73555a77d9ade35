import { type Clock, GatewayError } from "@talaria/protocol";

/** Rejects with `unavailable` and this sentence when `work` takes longer than `ms`. What it does later is ignored. */
export async function within<Result>(
  work: Promise<Result>,
  ms: number,
  clock: Clock,
  sentence: string,
): Promise<Result> {
  const finished = new AbortController();
  const late = clock.sleep(ms, finished.signal).then(() => {
    throw new GatewayError(sentence, { code: "unavailable" });
  });
  late.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    finished.abort("finished");
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted. */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  work.catch(() => undefined);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
