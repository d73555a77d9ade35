import type { Log } from "@talaria/protocol";
import type { OperationsStore } from "@talaria/store";

const everyMs = 3_600_000;

/** Removes what is settled and old, once an hour. Several gateways may do so. */
export function startRetention(
  operations: Pick<OperationsStore, "prune">,
  olderThanDays: number,
  log: Log,
): { stop(): void } {
  const prune = async () => {
    try {
      const removed = await operations.prune(olderThanDays);
      if (removed > 0) log.info({ count: removed }, "old rows removed");
    } catch (error) {
      log.warn({ error }, "old rows could not be removed");
    }
  };
  const timer = setInterval(() => void prune(), everyMs);
  return { stop: () => clearInterval(timer) };
}
