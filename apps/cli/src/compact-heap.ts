import { getHeapStatistics } from "node:v8";

const lookMs = 15_000;
/** Share of the time since the last look that a process may have worked and still counts as idle. */
const idleShare = 0.004;
const grownBytes = 3 * 1024 * 1024;

/**
 * Gives memory back to the system when the process is idle and has grown: what loading and the first work leave behind
 * is some 8 MB of a process. Stops it for some tenths of a second, at most once for each growth. Needs `--expose-gc`.
 */
export function compactWhenIdle(everyMs = lookMs): void {
  const { gc } = globalThis;
  if (gc === undefined) return;
  let compactBytes = 0;
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idleShare || getHeapStatistics().total_heap_size < compactBytes + grownBytes) return;
    gc({ type: "major", execution: "sync", flavor: "last-resort" });
    compactBytes = getHeapStatistics().total_heap_size;
    before = performance.eventLoopUtilization();
  }, everyMs).unref();
}
