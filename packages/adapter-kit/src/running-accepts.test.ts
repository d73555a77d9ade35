import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { equalSecrets } from "./equal-secrets.ts";
import { RunningAccepts } from "./running-accepts.ts";

describe("RunningAccepts", () => {
  it("is idle only after everything settled, also what failed and what began meanwhile", async () => {
    const running = new RunningAccepts();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const order: string[] = [];
    running.track(first.promise).catch(() => {
      order.push("first failed");
      void running.track(second.promise).then(() => order.push("second done"));
    });
    const idle = running.idle().then(() => order.push("idle"));
    first.reject(new Error("no"));
    await new Promise(setImmediate);
    second.resolve();
    await idle;
    assert.deepEqual(order, ["first failed", "second done", "idle"]);
  });
});

describe("equalSecrets", () => {
  it("compares whole secrets of any length", () => {
    assert.ok(equalSecrets("a long secret", "a long secret"));
    for (const wrong of ["", "a long secre", "a long secret ", "A long secret"])
      assert.ok(!equalSecrets(wrong, "a long secret"));
  });
});
