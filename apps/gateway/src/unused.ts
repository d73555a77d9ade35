import type { TalariaConfig } from "@talaria/config";
import type { Log } from "@talaria/protocol";
import type { MemoryStore } from "@talaria/store";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 60_000;
/** Calls in a row; the rest is done a minute later. */
const mostCalls = 100;
const minuteMs = 60_000;

/** Ends conversations that nobody goes on with, now and once a minute. Undefined where the configuration ends none. */
export function startUnused(
  memories: Pick<MemoryStore, "endUnused">,
  { sessions, memory }: Pick<TalariaConfig, "sessions" | "memory">,
  log: Log,
): Repeated | undefined {
  const { resetAfterIdleMinutes, resetDailyAt, timeZone } = sessions;
  if (resetAfterIdleMinutes === undefined && resetDailyAt === undefined) return undefined;
  const terms = {
    ...(resetAfterIdleMinutes !== undefined && { idleMs: resetAfterIdleMinutes * minuteMs }),
    ...(resetDailyAt !== undefined && { dailyAt: resetDailyAt }),
    ...{ timeZone, pass: memory.enabled && memory.pass !== undefined },
  };
  const endAll = async (signal: AbortSignal) => {
    let count = 0;
    for (let calls = 0; calls < mostCalls && !signal.aborted; calls += 1) {
      const { ended, isMore } = await memories.endUnused(terms);
      count += ended;
      if (!isMore) break;
    }
    if (count > 0) log.info({ count }, "conversations ended that nobody went on with");
  };
  return repeat(endAll, { everyMs, failed: (error) => log.warn({ error }, "unused conversations could not be ended") });
}
