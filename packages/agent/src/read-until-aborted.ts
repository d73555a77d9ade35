/**
 * Reads `source` until it ends or `signal` aborts, whichever comes first, even when the source ignores the signal.
 * An abort ends the loop without an error, so check `signal.aborted` after it. An abandoned source is asked to return,
 * and what it still does is ignored.
 */
export async function* readUntilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<"aborted">();
  const onAbort = () => aborted.resolve("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  let ended = false;
  try {
    for (;;) {
      const next = iterator.next();
      next.catch(() => undefined);
      const step = await Promise.race([aborted.promise, next]);
      if (step === "aborted") return;
      if (step.done) {
        ended = true;
        return;
      }
      yield step.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (!ended) iterator.return?.().catch(() => undefined);
  }
}
