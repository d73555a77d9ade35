import { setTimeout as sleep } from "node:timers/promises";

const patienceMs = 120_000;

/** Resolves with the first value that is not undefined or false; rejects when none comes for a long time. */
export async function eventually<Value>(
  look: () => Value | Promise<Value>,
): Promise<Exclude<Value, undefined | false>> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value as Exclude<Value, undefined | false>;
    if (performance.now() > giveUpAt) throw new Error(`did not happen within ${patienceMs} ms: ${look}`);
    await sleep(10);
  }
}
