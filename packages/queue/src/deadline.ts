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
