import type { Log } from "@talaria/protocol";
import type { OperationsStore } from "@talaria/store";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 3_600_000;

/** Removes what is settled and old, now and once an hour. One of several gateways does it for all. */
export function startRetention(operations: Pick<OperationsStore, "prune">, olderThanDays: number, log: Log): Repeated {
  const prune = async (signal: AbortSignal) => {
    const { removed, failed } = await operations.prune(olderThanDays, signal);
    if (removed > 0 || failed.length > 0) log.info({ removed, failed }, "old rows removed");
  };
  return repeat(prune, { everyMs, failed: (error) => log.warn({ error }, "old rows could not be removed") });
}
