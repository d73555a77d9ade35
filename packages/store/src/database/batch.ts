import { isGatewayError } from "@talaria/protocol";

/** So that no caller waits behind a statement that takes seconds. */
const maxCharacters = 2_000_000;

interface Waiting<Result> {
  readonly item: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: the first call runs at once; calls made while it is in flight gather and run together afterwards, in
 * their order, at most `maxItems` at a time. `run` answers one result per item. When a batch fails for a reason that one of its items may have
 * caused, each item runs alone, so that nobody fails for another's sake.
 */
export function createBatch<Result>(
  run: (items: readonly string[]) => Promise<readonly Result[]>,
  maxItems = 64,
): (item: string) => Promise<Result> {
  const queue: Waiting<Result>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (queue.length > 0) await settle(run, takeBatch(queue, maxItems));
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!running) void drain();
    });
}

function takeBatch<Result>(queue: Waiting<Result>[], maxItems: number): readonly Waiting<Result>[] {
  let characters = 0;
  let count = 0;
  for (const { item } of queue) {
    characters += item.length;
    if (count > 0 && (count === maxItems || characters > maxCharacters)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** Never rejects. */
async function settle<Result>(
  run: (items: readonly string[]) => Promise<readonly Result[]>,
  batch: readonly Waiting<Result>[],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error("a batch answers one result per item");
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as Result);
    });
  } catch (error) {
    if (batch.length === 1 || isGatewayError(error, "unavailable")) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const waiting of batch) await settle(run, [waiting]);
  }
}
