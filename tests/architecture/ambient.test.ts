import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ambientViolations, idlePermissions } from "./ambient.ts";
import { readRepository } from "./repository.ts";

const files = readRepository();

describe("a package", () => {
  it("takes clock, timers, chance and environment from its caller", () =>
    assert.deepEqual(ambientViolations(files), []));

  it("is on no list for what it has stopped doing", () => assert.deepEqual(idlePermissions(files), []));

  it("is caught when it reaches for them itself", () => {
    const caught = [
      ["const a = Date.now();", "Date.now"],
      ["const a = new Date();", "new Date()"],
      ["const a = Date();", "Date()"],
      ["const a = performance.now();", "performance.now"],
      ["const a = process.hrtime.bigint();", "hrtime"],
      ["setTimeout(run, 5);", "setTimeout"],
      ["const a = setInterval(run, 5);", "setInterval"],
      ['import { setTimeout as sleep } from "node:timers/promises";', "node:timers"],
      ["sort(Math.random);", "Math.random"],
      ["const id = crypto.randomUUID();", "randomUUID"],
      ["const a = randomInt(5);", "randomInt"],
      ["const a = process.env.X;", "process.env"],
      ["const a = join(homedir(), x);", "homedir"],
    ] as const;
    for (const [text, found] of caught)
      assert.deepEqual(ambientViolations([{ path: "packages/x/src/a.ts", text }]), [
        `packages/x/src/a.ts uses ${found}`,
      ]);
  });

  it("may speak of them, convert a time, and use the clock it was given", () => {
    const text = `/** Not Date.now(): the clock of the caller. */
      // nor process.env
      const at = new Date(clock.now());
      this.clock.setTimeout(run, 5);
      #setTimeout(5);`;
    assert.deepEqual(ambientViolations([{ path: "packages/x/src/a.ts", text }]), []);
  });

  it("only, not its tests, nor an app", () => {
    const text = "const a = Date.now();";
    for (const path of ["packages/x/src/a.test.ts", "packages/x/src/testing/a.ts", "apps/x/src/main.ts"])
      assert.deepEqual(ambientViolations([{ path, text }]), []);
  });
});
