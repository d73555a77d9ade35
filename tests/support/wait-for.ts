import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 25;
/** So long that only what never comes is missed, also on a machine that is ten times as slow. */
export const longestWaitMs = 120_000;

/** Asks again and again until the answer is truthy. Throws, naming what was waited for, when the time is over. */
export async function waitFor<Answer>(
  ask: () => Answer | Promise<Answer>,
  what: string,
  timeoutMs = longestWaitMs,
): Promise<NonNullable<Answer>> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > until) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(pollMs);
  }
}
