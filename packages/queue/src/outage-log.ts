import type { Clock, Log } from "@talaria/protocol";
import { messageOf } from "./failures.ts";

const quietMs = 30_000;

/** Writes about a connection's troubles at most every 30 s: clients report each vain attempt to reconnect. */
export function createOutageLog(log: Log, clock: Clock): (error: unknown) => void {
  let writtenAt: number | undefined;
  let unwritten = 0;
  return (error) => {
    const now = clock.elapsed();
    if (writtenAt !== undefined && now - writtenAt < quietMs) {
      unwritten += 1;
      return;
    }
    log.warn({ reason: messageOf(error), unwritten }, "queue connection has trouble");
    writtenAt = now;
    unwritten = 0;
  };
}
