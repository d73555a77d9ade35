import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorTable, GatewayError, isGatewayError } from "./errors.ts";
import { brandAs, type Instant, instantOf } from "./ids.ts";

describe("GatewayError", () => {
  it("takes the careful effect of its code unless the thrower knows better", () => {
    assert.equal(new GatewayError("lost", { code: "unavailable" }).effect, "unknown");
    assert.equal(new GatewayError("lost", { code: "unavailable", effect: "none" }).effect, "none");
  });

  it("keeps its cause and is told by its code", () => {
    const cause = new Error("inner");
    const error: unknown = new GatewayError("slow down", { code: "rate_limited", retryAfterMs: 5, cause });
    assert.ok(isGatewayError(error, "rate_limited"));
    assert.equal(error.cause, cause);
    assert.equal(error.retryAfterMs, 5);
    assert.ok(!isGatewayError(error, "conflict"));
    assert.ok(!isGatewayError(cause));
  });

  it("never asks for a blind retry of what may have happened and must not be repeated", () => {
    for (const [code, rule] of Object.entries(errorTable))
      if (rule.retry === "after-delay") assert.equal(rule.effect, "none", code);
  });
});

describe("instantOf", () => {
  it("writes UTC with milliseconds", () => {
    assert.equal(instantOf(0), brandAs<Instant>("1970-01-01T00:00:00.000Z"));
  });

  it("refuses times that no four-digit year holds", () => {
    for (const time of [8.64e15, -1e15, Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => instantOf(time), RangeError);
  });
});
