import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lengthViolations, machinePathViolations } from "./files.ts";
import { readRepository } from "./repository.ts";

const files = readRepository();

describe("every file", () => {
  it("is short enough to be read", () => assert.deepEqual(lengthViolations(files), []));

  it("is caught when it is too long", () => {
    const lines = (count: number) => "x\n\n".repeat(count);
    const sample = [
      { path: "packages/x/src/a.ts", text: lines(301) },
      { path: "packages/x/src/b.ts", text: lines(300) },
      { path: "packages/x/src/c.test.ts", text: lines(500) },
      { path: "packages/x/src/d.test.ts", text: lines(501) },
      { path: "docs/long.md", text: lines(900) },
    ];
    assert.deepEqual(lengthViolations(sample), [
      "packages/x/src/a.ts has 301 lines",
      "packages/x/src/d.test.ts has 501 lines",
    ]);
  });

  it("names no path of the machine it was written on", () => assert.deepEqual(machinePathViolations(files), []));

  it("is caught when it names one", () => {
    const sample = [
      { path: "a.md", text: "see /srv/build/talaria/x" },
      { path: "b.md", text: `see ${["", "home", "ada", "x"].join("/")}` },
      { path: "c.md", text: `see ${["", "Users", "ada", "x"].join("/")}` },
      { path: "d.md", text: "see /srv/builds and ~/.talaria" },
    ];
    const found = machinePathViolations(sample, ["/srv/build/talaria"]).map((line) => line.slice(0, 4));
    assert.deepEqual(found, ["a.md", "b.md", "c.md"]);
  });
});
