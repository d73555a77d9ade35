import { backoffMs } from "@talaria/protocol";

const firstMs = 50;
const longestMs = 2_000;

/** The pause before the next attempt to connect: doubles from 50 ms to 2 s, half of it random. */
export function reconnectPauseMs(attempt: number, random: () => number): number {
  return backoffMs(attempt + 1, { firstMs, longestMs }, random());
}
