import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clockFinding } from "./of-clock.ts";

const began = Date.parse("2026-11-24T10:00:00Z");
const seconds = (apart: number, precisionMs = 1) =>
  clockFinding("the database", began + apart * 1_000, { began, ended: began + 400, precisionMs });

describe("the clock in `talaria doctor`", () => {
  it("agrees within the time that the answer took, and within what the other can say", () => {
    for (const apart of [0, 0.4, 1.3, -0.9])
      assert.match(seconds(apart).line, /^agrees with the database to a second$/);
    assert.match(seconds(-1.9, 1_000).line, /^agrees/);
    assert.doesNotMatch(seconds(-1.9).line, /^agrees/);
  });

  it("says how far apart they are and on which side, and is a problem from a minute on", () => {
    assert.deepEqual(seconds(30.4).line, "this machine's clock is 30 s behind that of the database");
    assert.equal(seconds(30.4).state, "ok");
    const ahead = seconds(-3_600);
    assert.deepEqual(
      [ahead.line, ahead.state],
      ["this machine's clock is 3600 s ahead of that of the database", "problem"],
    );
    assert.match(ahead.remedy ?? "", /set-ntp/);
  });
});
