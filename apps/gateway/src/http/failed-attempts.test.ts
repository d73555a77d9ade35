import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FailedAttempts } from "./failed-attempts.ts";

describe("FailedAttempts", () => {
  it("lets sixty wrong proofs a minute pass for each source", () => {
    const attempts = new FailedAttempts();
    const tried = Array.from({ length: 61 }, () => attempts.note("a", 1_000));
    assert.deepEqual([tried.indexOf(true), attempts.note("b", 1_000)], [60, false]);
    assert.equal(attempts.note("a", 61_000), false, "a minute later it begins again");
  });

  it("remembers a bounded number of sources", () => {
    const attempts = new FailedAttempts();
    for (let n = 0; n < 60; n += 1) attempts.note("first", 0);
    for (let n = 0; n < 1_000; n += 1) attempts.note(`other ${n}`, 0);
    assert.equal(attempts.note("first", 0), false);
  });
});
