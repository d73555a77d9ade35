/** How the waits before further attempts grow. */
export interface Backoff {
  /** Before the first new attempt; doubles with each further one. */
  readonly firstMs: number;
  /** No wait is longer. */
  readonly longestMs: number;
}

/**
 * The wait before new attempt 1, 2, 3, ...: doubles from `firstMs` to `longestMs`. `chance`, from 0 to 1, decides how much of
 * it is waited, between half and all, so that those who failed together do not come back together. With 1 it is the whole.
 */
export function backoffMs(attempt: number, { firstMs, longestMs }: Backoff, chance: number): number {
  const doublings = Math.min(Math.max(0, attempt - 1), 30);
  const wholeMs = Math.min(longestMs, firstMs * 2 ** doublings);
  return Math.round(wholeMs * (0.5 + chance / 2));
}
