import { getHeapStatistics } from "node:v8";

const lookMs = 15_000;
/** The largest share of the time since the last look that an idle process may have worked. */
const idleShare = 0.004;
const grownBytes = 3 * 1024 * 1024;

/**
 * Gives memory back to the system when the process is idle and has grown: loading and the first work leave some 8 MB behind.
 * This stops the process for some tenths of a second, at most once per growth. Needs `--expose-gc`.
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
