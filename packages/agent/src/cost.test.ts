import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fastCheck from "fast-check";
import { costOf } from "./cost.ts";
import type { ModelUsage } from "./model.ts";

const nothing: ModelUsage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };
const price = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 };

describe("what an answer costs", () => {
  it("counts each kind of token once, at its own price", () => {
    const usage = {
      inputTokens: 1_000,
      cachedTokens: 600,
      cacheWriteTokens: 300,
      outputTokens: 50,
      reasoningTokens: 40,
    };
    assert.equal(costOf(usage, price), 100 * 3 + 180 + 1_125 + 750);
  });

  it("counts what comes from the cache and goes into it like other input where it has no price", () => {
    const usage = { ...nothing, inputTokens: 1_000, cachedTokens: 600, cacheWriteTokens: 300 };
    assert.equal(costOf(usage, { input: 3, output: 15 }), 3_000);
  });

  it("is exact where floating point is not, and rounds up what is less than a millionth", () => {
    assert.equal(costOf({ ...nothing, inputTokens: 30 }, { input: 0.1, output: 0 }), 3);
    assert.equal(costOf({ ...nothing, inputTokens: 3, outputTokens: 7 }, { input: 0.1, output: 0.1 }), 1);
    assert.equal(costOf({ ...nothing, inputTokens: 1 }, { input: 0.000001, output: 0 }), 1);
    assert.equal(costOf({ ...nothing, inputTokens: 100 }, { input: 0, output: 0 }), 0);
  });

  it("is a whole number for whatever a provider counts, and no counting twice makes it cheaper", () => {
    const tokens = fastCheck.oneof(
      fastCheck.integer({ min: 0, max: 5_000_000 }),
      fastCheck.constantFrom(-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e308),
    );
    const usages = fastCheck.record({
      inputTokens: tokens,
      cachedTokens: tokens,
      cacheWriteTokens: tokens,
      outputTokens: tokens,
      reasoningTokens: tokens,
    });
    const amount = fastCheck.double({ min: 0, max: 100_000, noNaN: true });
    const prices = fastCheck.record({ input: amount, output: amount, cachedInput: amount, cacheWrite: amount });
    fastCheck.assert(
      fastCheck.property(usages, prices, (usage, of) => {
        const cost = costOf(usage, of);
        assert.ok(Number.isSafeInteger(cost) && cost >= 0, String(cost));
        assert.ok(costOf({ ...usage, outputTokens: usage.outputTokens + 1 }, of) >= cost || !(usage.outputTokens >= 0));
      }),
    );
  });

  it("of two answers is what both cost together, but for the rounding", () => {
    const count = fastCheck.integer({ min: 0, max: 1_000_000 });
    fastCheck.assert(
      fastCheck.property(count, count, (one, other) => {
        const cost = (inputTokens: number) => costOf({ ...nothing, inputTokens }, { input: 0.075, output: 1 });
        const apart = cost(one) + cost(other) - cost(one + other);
        assert.ok(apart === 0 || apart === 1, String(apart));
      }),
    );
  });
});
