import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backoffMs } from "./backoff.ts";

const backoff = { firstMs: 500, longestMs: 30_000 };

describe("backoffMs", () => {
  for (const [attempt, chance, expected] of [
    [1, 1, 500],
    [1, 0, 250],
    [1, 0.5, 375],
    [2, 1, 1_000],
    [3, 1, 2_000],
    [6, 1, 16_000],
    [7, 1, 30_000],
    [7, 0, 15_000],
    [8, 1, 30_000],
    [1_000_000, 1, 30_000],
    [Number.MAX_SAFE_INTEGER, 1, 30_000],
    [0, 1, 500],
    [-1, 1, 500],
  ] as const)
    it(`waits ${expected} ms before attempt ${attempt} with chance ${chance}`, () =>
      assert.equal(backoffMs(attempt, backoff, chance), expected));

  it("is a whole number, as timers want it", () => {
    for (let attempt = 1; attempt < 40; attempt += 1)
      assert.ok(Number.isInteger(backoffMs(attempt, { firstMs: 333, longestMs: 10_001 }, 0.123)));
  });
});
