import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { repository } from "./prepare.mjs";
import { gather, hermetic } from "./test-files.mjs";

describe("npm test", () => {
  it("runs every test file once, by itself or with those of its package", async (test) => {
    const folder = mkdtempSync(join(tmpdir(), "talaria-test-"));
    test.after(() => rmSync(folder, { recursive: true }));
    const texts = (await gather(folder)).map((file) => readFileSync(file, "utf8"));
    const urls = texts.flatMap((text) => [...text.matchAll(/import\("([^"]+)"\)/g)].map(([, url]) => url));
    const together = urls.map((url) => relative(repository, fileURLToPath(url)));
    const all = globSync(
      [
        "{packages,apps}/**/src/**/*.test.ts",
        "tests/{architecture,hostile,integration,recovery}/**/*.test.ts",
        "scripts/*.test.mjs",
      ],
      { cwd: repository, exclude: (name) => name === "node_modules" },
    );
    const alone = globSync(hermetic, { cwd: repository });
    assert.ok(alone.length > 50 && together.length > 100, `${alone.length} alone, ${together.length} together`);
    assert.deepEqual([...alone, ...together].sort(), all.sort());
  });
});
