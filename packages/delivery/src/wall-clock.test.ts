import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type ConversationId } from "@talaria/protocol";
import { createSimulatedClock } from "@talaria/testkit";
import fc from "fast-check";
import { Pacing } from "./pacing.ts";

const hourMs = 3_600_000;
const seed = Number(process.env.SEED ?? 1);
const place = brandAs<ConversationId>("a");
const pace = { burst: 3, refillMs: 1_000 };

const step = fc.oneof(
  fc.record({ type: fc.constant("take" as const) }),
  fc.record({ type: fc.constant("close" as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 5_000 }) }),
);
const jumps = fc.array(fc.integer({ min: -48 * hourMs, max: 48 * hourMs }), { maxLength: 40 });

describe("while the wall clock jumps by hours", () => {
  it("the pace is what it is with a steady one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), jumps, async (steps, jumpMs) => {
        const clocks = [createSimulatedClock(), createSimulatedClock()] as const;
        const [steady, jumping] = clocks.map((clock) => new Pacing(clock, { burst: 5, refillMs: 300 }));
        assert.ok(steady && jumping);
        for (const [index, one] of steps.entries()) {
          clocks[1].jump(jumpMs[index] ?? 0);
          if (one.type === "pass") await Promise.all(clocks.map((clock) => clock.advance(one.ms)));
          else if (one.type === "close") for (const each of [steady, jumping]) each.close(place, pace, one.ms);
          assert.equal(jumping.tryTake(place, pace), steady.tryTake(place, pace));
          assert.equal(jumping.closedForMs(place), steady.closedForMs(place));
        }
      }),
      { numRuns: 100, seed },
    );
  });
});
