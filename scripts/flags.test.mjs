import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { nodeFlags } from "../apps/cli/src/start/node-flags.ts";
import { program } from "./tasks.mjs";

describe("the flags of Node.js", () => {
  it("are the same for the command, its children and the image, which share compiled code", () => {
    assert.deepEqual(program.slice(0, -1), nodeFlags);
    const image = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
    const flags = JSON.stringify(["node", ...nodeFlags])
      .slice(0, -1)
      .replaceAll(",", ", ");
    assert.ok(image.includes(`ENTRYPOINT ${flags}, `), "the entry point");
    assert.ok(image.includes(`RUN node ${nodeFlags.join(" ")} apps/cli/src/main.ts warm`), "what the image compiles");
  });
});
