import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { LimitWatch, type Watched } from "./limit-watch.ts";

const limits = { memoryMb: 64, processes: 8, quotaMb: 1, background: 1, outputChars: 1_000, seconds: 10 };
const minuteMs = 60_000;

for (const [what, bytes, rests] of [
  ["a folder that is too large", 2_000_000, [1_000, 1_000]],
  ["any other", 1_000, [2 * minuteMs, 2 * minuteMs]],
] as const)
  it(`rests as ${rests[0]} ms tells after a look of a minute at ${what}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "talaria-watch-"));
    try {
      await writeFile(join(folder, "file"), Buffer.alloc(bytes));
      const sleeps: number[] = [];
      let now = 0;
      const elapsed = () => {
        now += minuteMs;
        return now;
      };
      const { promise: twice, resolve } = Promise.withResolvers<void>();
      const sleep = async (ms: number) => {
        sleeps.push(ms);
        if (sleeps.length === 4) resolve();
        await new Promise((wake) => setImmediate(wake));
      };
      const watch = await LimitWatch.begin(folder, limits, { now: elapsed, elapsed, sleep });
      const watched: Watched = { mayWrite: false, proc: async () => undefined, kill: async () => undefined };
      watch.add(watched);
      await twice;
      watch.delete(watched);
      assert.deepEqual(sleeps.slice(0, 4), [250, rests[0], 250, rests[1]]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
