const firstMs = 50;
const longestMs = 2_000;

/** The pause before the next attempt to connect: doubles from 50 ms to 2 s, half of it random. */
export function reconnectPauseMs(attempt: number, random: () => number): number {
  const ceilingMs = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10));
  return Math.round(ceilingMs * (0.5 + random() / 2));
}
