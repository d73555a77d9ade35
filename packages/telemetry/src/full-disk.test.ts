import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { describe, it } from "node:test";

const program = `
  const { createLogger } = await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
  const log = createLogger({ level: "info", name: "test", secrets: () => [] });
  for (let n = 0; n < 3; n += 1) log.info({ n }, "a line");
  process.stderr.write("the work went on");
`;

describe("createLogger on standard output", { skip: existsSync("/dev/full") ? false : "needs /dev/full" }, () => {
  it("loses lines, and not the work, when the disk is full", () => {
    const full = openSync("/dev/full", "w");
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    assert.equal(stderr, "the work went on");
  });
});
