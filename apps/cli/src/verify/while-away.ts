import { setTimeout as sleep } from "node:timers/promises";

export interface Absence {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Takes something away for a time. Also when somebody ends this command meanwhile, it comes back. */
export async function whileAway(forMs: number, signal: AbortSignal, { begin, end }: Absence): Promise<void> {
  const leave = () => void end().finally(() => process.exit(1));
  process.once("SIGINT", leave).once("SIGTERM", leave);
  try {
    await begin();
    await sleep(forMs, undefined, { signal });
  } finally {
    await end();
    process.off("SIGINT", leave).off("SIGTERM", leave);
  }
}
