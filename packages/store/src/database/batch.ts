import { isGatewayError } from "@talaria/protocol";
import { isLockedOut } from "./database-error.ts";

/** Keeps a statement from taking seconds. */
const maxCharacters = 2_000_000;
/** How long a call waits for locks that others hold. */
const patienceMs = 15_000;

type Run<Result> = (items: readonly string[]) => Promise<readonly Result[]>;

interface Waiting<Result> {
  readonly key: string;
  readonly item: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** Present once a lock has delayed the call; aborted when it has waited long enough. */
  patience?: AbortSignal;
}

/**
 * Group commit: the first call runs at once. Calls made while it is in flight gather and then run together, in order, at most
 * `maxItems` at a time. `run` returns one result per item. When a batch fails for a reason that one of its items may have
 * caused, each item runs alone, so that no item fails because of another.
 *
 * When a batch meets a lock that lasts, its keys leave the line. Each of them is then retried alone, beside the batches that
 * follow. So a locked row delays the calls of its own key, and other calls by one or two lock timeouts. Calls with the same
 * key never overtake each other.
 */
export function createBatch<Result>(run: Run<Result>, maxItems = 64): (key: string, item: string) => Promise<Result> {
  let line: Waiting<Result>[] = [];
  const aside = new Map<string, Waiting<Result>[]>();
  let isLineRunning = false;
  let isAsideRunning = false;

  async function drainLine(): Promise<void> {
    isLineRunning = true;
    while (line.length > 0) stepAside(await settle(run, takeBatch(line, maxItems)));
    isLineRunning = false;
  }

  /** Also moves the calls in the line that have the same keys. */
  function stepAside({ lockedOut }: Settled<Result>): void {
    if (lockedOut.length === 0) return;
    const keys = new Set(lockedOut.map(({ key }) => key));
    const followers = line.filter(({ key }) => keys.has(key));
    line = line.filter(({ key }) => !keys.has(key));
    for (const key of keys) aside.set(key, []);
    for (const waiting of [...lockedOut, ...followers]) waitAside(waiting);
    if (!isAsideRunning) void drainAside();
  }

  function waitAside(waiting: Waiting<Result>): void {
    waiting.patience = AbortSignal.timeout(patienceMs);
    aside.get(waiting.key)?.push(waiting);
  }

  /** Tries one key after the other; a key that is still locked goes to the end. */
  async function drainAside(): Promise<void> {
    isAsideRunning = true;
    for (let [next] = aside; next !== undefined; [next] = aside) {
      const [key, waiting] = next;
      const { lockedOut, error } = await settle(run, takeBatch(waiting, maxItems));
      const patient = lockedOut.filter(({ patience }) => !patience?.aborted);
      for (const { patience, reject } of lockedOut) if (patience?.aborted) reject(error);
      aside.delete(key);
      if (patient.length + waiting.length > 0) aside.set(key, [...patient, ...waiting]);
    }
    isAsideRunning = false;
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting: Waiting<Result> = { key, item, resolve, reject };
      if (aside.has(key)) {
        waitAside(waiting);
        return;
      }
      line.push(waiting);
      if (!isLineRunning) void drainLine();
    });
}

function takeBatch<Result>(line: Waiting<Result>[], maxItems: number): readonly Waiting<Result>[] {
  let characters = 0;
  let count = 0;
  for (const { item } of line) {
    characters += item.length;
    if (count > 0 && (count === maxItems || characters > maxCharacters)) break;
    count += 1;
  }
  return line.splice(0, count);
}

interface Settled<Result> {
  /** Calls that a lock kept from running, in order. All others are resolved or rejected. */
  readonly lockedOut: readonly Waiting<Result>[];
  readonly error?: unknown;
}

/** Never rejects. */
async function settle<Result>(run: Run<Result>, batch: readonly Waiting<Result>[]): Promise<Settled<Result>> {
  try {
    const results = await run(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error("a batch answers one result per item");
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as Result);
    });
    return { lockedOut: [] };
  } catch (error) {
    if (isLockedOut(error)) return { lockedOut: batch, error };
    if (batch.length > 1 && !isGatewayError(error, "unavailable")) return await settleEach(run, batch);
    for (const { reject } of batch) reject(error);
    return { lockedOut: [] };
  }
}

async function settleEach<Result>(run: Run<Result>, batch: readonly Waiting<Result>[]): Promise<Settled<Result>> {
  const lockedOut: Waiting<Result>[] = [];
  let error: unknown;
  for (const waiting of batch) {
    if (lockedOut.some(({ key }) => key === waiting.key)) {
      lockedOut.push(waiting);
      continue;
    }
    const settled = await settle(run, [waiting]);
    lockedOut.push(...settled.lockedOut);
    error ??= settled.error;
  }
  return { lockedOut, error };
}
