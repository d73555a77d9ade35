import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { LimitWatch, type Watched } from "./limit-watch.ts";

const limits = { memoryMb: 64, processes: 8, quotaMb: 16, background: 1, outputChars: 1_000, seconds: 10 };

it("looks again soon, however long a look took: what was deleted meanwhile makes room", async () => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-watch-"));
  const sleeps: number[] = [];
  let now = 0;
  // Each look takes a minute.
  const elapsed = () => {
    now += 60_000;
    return now;
  };
  const { promise: twice, resolve } = Promise.withResolvers<void>();
  const sleep = async (ms: number) => {
    sleeps.push(ms);
    if (sleeps.length === 4) resolve();
    await new Promise((wake) => setImmediate(wake));
  };
  const watch = await LimitWatch.begin(folder, limits, { now: elapsed, elapsed, sleep });
  const watched: Watched = { mayWrite: true, proc: async () => undefined, kill: async () => undefined };
  watch.add(watched);
  await twice;
  watch.delete(watched);
  assert.deepEqual(sleeps.slice(0, 4), [250, 1_000, 250, 1_000]);
  await rm(folder, { recursive: true, force: true });
});
