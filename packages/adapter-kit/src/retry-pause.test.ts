import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError } from "@talaria/protocol";
import { retryPauseMs } from "./retry-pause.ts";

const backoff = { firstMs: 1_000, longestMs: 60_000 };
const asking = (retryAfterMs: number) => new GatewayError("slow down", { code: "rate_limited", retryAfterMs });

describe("the pause after a failure", () => {
  it("doubles to the longest wait, shortened by at most half, the same way each time", () => {
    for (let failures = 1; failures <= 2000; failures += 1) {
      const whole = Math.min(backoff.longestMs, backoff.firstMs * 2 ** (failures - 1));
      const pause = retryPauseMs(failures, backoff, "a");
      assert.ok(pause >= whole / 2 && pause <= whole, `${failures}: ${pause}`);
      assert.equal(pause, retryPauseMs(failures, backoff, "a"));
    }
    assert.notEqual(retryPauseMs(5, backoff, "a"), retryPauseMs(5, backoff, "b"));
  });

  it("is as long as the error asks, a day at most, and never shorter than usual", () => {
    assert.equal(retryPauseMs(1, backoff, "a", asking(90_000)), 90_000);
    assert.equal(retryPauseMs(1, backoff, "a", asking(Number.MAX_SAFE_INTEGER)), 86_400_000);
    for (const odd of [asking(Number.NaN), asking(-1), asking(1), new Error("no asking")])
      assert.equal(retryPauseMs(1, backoff, "a", odd), retryPauseMs(1, backoff, "a"));
  });
});
