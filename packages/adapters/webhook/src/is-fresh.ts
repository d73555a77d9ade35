/** A signed time may lie this far from ours, both ways. Standard Webhooks 1.0.0 asks for it. */
const toleranceSeconds = 300;

/** Whether `timestamp` is a whole number of seconds since 1970 and lies close to now. */
export function isFresh(timestamp: string, nowMs: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceSeconds;
}
