import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countUsage, sumUsage } from "./counted-usage.ts";
import { worthOf } from "./worth.ts";

const usage = {
  inputTokens: 30_000,
  cachedTokens: 28_000,
  cacheWriteTokens: 1_000,
  outputTokens: 400,
  reasoningTokens: 100,
};

describe("what an answer counts for limits of tokens", () => {
  it("is, without a price, what most providers take: a tenth for what is cached, five times for what is written", () => {
    assert.equal(worthOf(usage), 1_000 + 1_000 + 2_800 + 2_000);
    assert.equal(worthOf({ ...usage, inputTokens: 30, cachedTokens: 30, cacheWriteTokens: 0, outputTokens: 0 }), 3);
  });

  it("follows the price where it is known, and a tenth where that of the cache is not", () => {
    const price = { input: 2, output: 16, cachedInput: 0.5, cacheWrite: 2.5 };
    assert.equal(worthOf(usage, price), 1_000 + 1_250 + 7_000 + 3_200);
    assert.equal(worthOf(usage, { input: 2, output: 16 }), 1_000 + 1_000 + 2_800 + 3_200);
  });

  it("counts a dearer model than the agent's in tokens of the agent's", () => {
    const price = { input: 10, output: 50, cachedInput: 1, cacheWrite: 10 };
    assert.equal(worthOf(usage, price, 2), 5 * 6_800);
    assert.equal(worthOf(usage, price, 0), 6_800);
  });

  it("counts a model that costs nothing as one without a price: its answers take time", () => {
    assert.equal(worthOf(usage, { input: 0, output: 0 }, 2), 6_800);
    assert.equal(worthOf(usage, { input: 0, output: 1 }), 6_800);
  });

  it("makes nothing of what can't be counted", () => {
    const odd = { inputTokens: -5, cachedTokens: Number.NaN, outputTokens: 1, reasoningTokens: 0 };
    assert.equal(worthOf(odd), 5);
    // More from the cache than was read.
    assert.equal(worthOf({ inputTokens: 10, cachedTokens: 100, outputTokens: 0, reasoningTokens: 0 }), 10);
  });

  it("stands in the journal with each answer, and adds up", () => {
    const asked = { name: "main", provider: "openai-chat", price: { input: 4, output: 20 }, unitPrice: 2 };
    const counted = countUsage(usage, asked);
    assert.equal(counted.worth, 2 * 6_800);
    assert.equal(countUsage(usage, undefined).worth, 6_800);
    assert.equal(sumUsage(counted, countUsage(usage, undefined)).worth, 3 * 6_800);
  });
});
