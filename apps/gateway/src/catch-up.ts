import type { Log } from "@talaria/protocol";
import type { ChatStore } from "@talaria/store";

const everyMs = 30_000;

/** Keeps lists and searches near what was said, so that whoever opens one waits for little. Any number of gateways may do so at once. */
export function startCatchUp(chats: Pick<ChatStore, "catchUp">, log: Log): { stop(): void } {
  const ending = new AbortController();
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await chats.catchUp(ending.signal);
    } catch (error) {
      log.warn({ error }, "lists of conversations are not up to date");
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void run(), everyMs);
  void run();
  return {
    stop: () => {
      clearInterval(timer);
      ending.abort();
    },
  };
}
