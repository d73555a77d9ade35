import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { LimitWatch, type Machine, type Watched } from "./limit-watch.ts";

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
      let disk = 1e12;
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
      const growing: Machine = { freeMemory: () => 1e9, freeDisk: async () => (disk -= 1e6) };
      const watch = await LimitWatch.begin(folder, limits, { now: elapsed, elapsed, sleep }, growing);
      const watched: Watched = { mayWrite: false, proc: async () => undefined, kill: async () => undefined };
      watch.add(watched);
      await twice;
      watch.delete(watched);
      assert.deepEqual(sleeps.slice(0, 4), [250, rests[0], 250, rests[1]]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

it("looks at programs once in two seconds while nothing grows, and at once when something does or another begins", async () => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-watch-"));
  const free = { memory: 1e9, disk: 1e9 };
  const machine: Machine = { freeMemory: () => free.memory, freeDisk: async () => free.disk };
  const looks: number[] = [];
  let tick = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const watched = (): Watched => ({
    mayWrite: true,
    proc: async () => {
      looks.push(tick);
      return undefined;
    },
    kill: async () => undefined,
  });
  const other = watched();
  const one = watched();
  const events: Record<number, () => void> = {
    12: () => (free.memory -= 40e6),
    15: () => (free.disk -= 300e3),
    18: () => watch.add(other),
    19: () => watch.delete(other),
    30: () => watch.delete(one),
  };
  const sleep = async (ms: number) => {
    if (ms === 0) return;
    assert.equal(ms, 250);
    tick += 1;
    events[tick]?.();
    await new Promise((wake) => setImmediate(wake));
    if (tick === 30) end();
  };
  const watch = await LimitWatch.begin(folder, limits, { now: () => 0, elapsed: () => 0, sleep }, machine);
  watch.add(one);
  await ended;
  await rm(folder, { recursive: true, force: true });
  assert.deepEqual(looks, [1, 9, 12, 15, 18, 18, 26]);
});

it("sees that there is room again when others have taken as much of the disk meanwhile", async () => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-watch-"));
  try {
    await writeFile(join(folder, "file"), Buffer.alloc(2_000_000));
    const machine: Machine = { freeMemory: () => 1e9, freeDisk: async () => 1e9 };
    const sleep = () => new Promise<void>((wake) => setImmediate(wake));
    const watch = await LimitWatch.begin(folder, limits, { now: () => 0, elapsed: () => 0, sleep }, machine);
    assert.match(watch.excess ?? "", /over its quota of 1 MB/);
    await rm(join(folder, "file"));
    const looked = Promise.withResolvers<void>();
    const watched: Watched = {
      mayWrite: false,
      proc: async () => looked.resolve() as undefined,
      kill: async () => undefined,
    };
    watch.add(watched);
    await looked.promise;
    watch.delete(watched);
    assert.equal(watch.excess, undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
