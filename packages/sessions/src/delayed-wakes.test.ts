import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type SessionKey } from "@talaria/protocol";
import { createSimulatedClock, type SimulatedClock } from "@talaria/testkit";
import { createDelayedWakes, type DelayedWakes } from "./delayed-wakes.ts";

const one = brandAs<SessionKey>("one");
const two = brandAs<SessionKey>("two");

describe("delayed wake-ups", () => {
  let clock: SimulatedClock;
  let woken: SessionKey[];
  let delayed: DelayedWakes;
  beforeEach(() => {
    clock = createSimulatedClock();
    woken = [];
    delayed = createDelayedWakes((key) => woken.push(key), clock);
  });

  it("come in time and once", async () => {
    delayed.wakeIn(one, "album", 1_000);
    delayed.wakeIn(two, "album", 2_000);
    await clock.advance(999);
    assert.deepEqual(woken, []);
    await clock.advance(100);
    assert.deepEqual(woken, [one]);
    await clock.advance(10_000);
    assert.deepEqual(woken, [one, two]);
  });

  it("are put off by what follows for the same cause only", async () => {
    delayed.wakeIn(one, "album", 1_000);
    delayed.wakeIn(one, "photo", 1_500);
    await clock.advance(900);
    delayed.wakeIn(one, "album", 1_000);
    await clock.advance(500);
    assert.deepEqual(woken, []);
    await clock.advance(200);
    assert.deepEqual(woken, [one]);
    await clock.advance(400);
    assert.deepEqual(woken, [one, one]);
  });

  it("leave no timer when they are stopped", async () => {
    delayed.wakeIn(one, "album", 1_000);
    delayed.stop();
    delayed.wakeIn(two, "album", 1_000);
    await clock.advance(5_000);
    assert.deepEqual([woken, clock.waiting], [[], 0]);
  });
});
