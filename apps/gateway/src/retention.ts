import type { Log } from "@talaria/protocol";
import type { OperationsStore } from "@talaria/store";

const everyMs = 3_600_000;

/** Removes what is settled and old, now and once an hour. One of several gateways does it for all. */
export function startRetention(
  operations: Pick<OperationsStore, "prune">,
  olderThanDays: number,
  log: Log,
): { stop(): void } {
  const ending = new AbortController();
  let isRunning = false;
  const prune = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      const { removed, failed } = await operations.prune(olderThanDays, ending.signal);
      if (removed > 0 || failed.length > 0) log.info({ removed, failed }, "old rows removed");
    } catch (error) {
      log.warn({ error }, "old rows could not be removed");
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void prune(), everyMs);
  void prune();
  return {
    stop: () => {
      clearInterval(timer);
      ending.abort();
    },
  };
}
