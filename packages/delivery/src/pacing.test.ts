import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type ConversationId } from "@talaria/protocol";
import { createSimulatedClock } from "@talaria/testkit";
import { Pacing } from "./pacing.ts";

const pace = { burst: 2, refillMs: 1_000 };
const [a, b] = ["a", "b"].map((name) => brandAs<ConversationId>(name)) as [ConversationId, ConversationId];

describe("pacing", () => {
  it("gives a burst, then one token per refill, and never more than a burst", async () => {
    const clock = createSimulatedClock();
    const pacing = new Pacing(clock);
    assert.deepEqual([pacing.tryTake(a, pace), pacing.tryTake(a, pace), pacing.tryTake(a, pace)], [0, 0, 1_000]);
    await clock.advance(400);
    assert.equal(pacing.tryTake(a, pace), 600);
    await clock.advance(600);
    assert.deepEqual([pacing.tryTake(a, pace), pacing.tryTake(a, pace)], [0, 1_000]);
    await clock.advance(60_000);
    assert.deepEqual([pacing.tryTake(a, pace), pacing.tryTake(a, pace), pacing.tryTake(a, pace)], [0, 0, 1_000]);
  });

  it("leaves the last token to texts, except in a bucket of one", () => {
    const pacing = new Pacing(createSimulatedClock());
    assert.deepEqual([pacing.tryTakeForPreview(a, pace), pacing.tryTakeForPreview(a, pace)], [0, 1_000]);
    assert.equal(pacing.tryTake(a, pace), 0);
    assert.equal(pacing.tryTakeForPreview(b, { burst: 1, refillMs: 1_000 }), 0);
  });

  it("closes one conversation or all, and never shortens a closed window", async () => {
    const clock = createSimulatedClock();
    const pacing = new Pacing(clock);
    pacing.close(a, pace, 5_000);
    pacing.close(a, pace, 1_000);
    assert.deepEqual([pacing.tryTake(a, pace), pacing.tryTake(b, pace)], [5_000, 0]);
    pacing.close(undefined, pace, 9_000);
    assert.deepEqual([pacing.closedForMs(a), pacing.closedForMs(b)], [9_000, 9_000]);
    await clock.advance(9_000);
    assert.equal(pacing.tryTake(a, pace), 0);
  });

  it("leaves a conversation alone for longer and longer while nothing goes through, up to a minute", async () => {
    const clock = createSimulatedClock();
    const pacing = new Pacing(clock);
    const waits: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      pacing.close(a, pace, 1_000);
      waits.push(pacing.closedForMs(a));
      await clock.advance(60_000);
    }
    assert.deepEqual(waits, [1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    pacing.worked(a);
    pacing.close(a, pace, 1_000);
    assert.equal(pacing.closedForMs(a), 1_000);
  });

  it("shares one bucket among all conversations of an account when asked to", () => {
    const pacing = new Pacing(createSimulatedClock(), { burst: 1, refillMs: 30 });
    assert.deepEqual([pacing.tryTake(a, pace), pacing.tryTake(b, pace)], [0, 30]);
  });

  it("keeps a bounded number of buckets", async () => {
    const clock = createSimulatedClock();
    const pacing = new Pacing(clock);
    for (let n = 0; n < 20_000; n += 1) {
      pacing.tryTake(brandAs<ConversationId>(`c${n}`), pace);
      if (n % 100 === 0) await clock.advance(1_000);
    }
    assert.ok(pacing.size <= 5_000);
  });
});
