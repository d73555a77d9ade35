import assert from "node:assert/strict";
import { it } from "node:test";
import { createSimulatedClock } from "./simulated-clock.ts";

it("wakes sleepers by their time, equal ones in the order they fell asleep", async () => {
  const clock = createSimulatedClock(1_000);
  const woken: string[] = [];
  const sleeper = (name: string, ms: number) => clock.sleep(ms).then(() => woken.push(`${name}@${clock.now()}`));
  void sleeper("late", 30);
  void sleeper("first", 10);
  void sleeper("second", 10);
  await clock.advance(20);
  assert.deepEqual(woken, ["first@1010", "second@1010"]);
  assert.equal(clock.now(), 1_020);
  assert.deepEqual([clock.waiting, clock.nextIn()], [1, 10]);
  await clock.advance(10);
  assert.deepEqual(woken.at(-1), "late@1030");
});

it("runs a chain of sleeps inside one advance, each at its own time", async () => {
  const clock = createSimulatedClock(0);
  const times: number[] = [];
  const ticking = (async () => {
    for (let tick = 0; tick < 4; tick++) {
      await clock.sleep(25);
      times.push(clock.now());
    }
  })();
  await clock.advance(100);
  await ticking;
  assert.deepEqual(times, [25, 50, 75, 100]);
});

it("rejects a sleep with the signal's reason and forgets its timer", async () => {
  const clock = createSimulatedClock(0);
  const stop = new AbortController();
  const sleeping = clock.sleep(50, stop.signal);
  stop.abort(new Error("enough"));
  await assert.rejects(sleeping, /enough/);
  await assert.rejects(clock.sleep(1, stop.signal), /enough/);
  assert.equal(clock.waiting, 0);
});

it("does not run a cleared timer", async () => {
  const clock = createSimulatedClock(0);
  const ran: string[] = [];
  const cleared = clock.setTimeout(() => ran.push("cleared"), 5);
  clock.setTimeout(() => ran.push("kept"), 6);
  clock.clearTimeout(cleared);
  await clock.advance(10);
  assert.deepEqual(ran, ["kept"]);
});
