import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { generatedPath, shared, withoutTypes } from "../../scripts/generate-console-markdown.ts";

/** Biome lays the generated files out. */
function bare(source: string): string {
  return source.replaceAll(/\s+|,(?=\s*[)\]}])/g, "");
}

describe("what the console shares with the package markdown", () => {
  for (const name of shared)
    it(`is as scripts/generate-console-markdown.ts writes it: ${name}`, async () =>
      assert.equal(bare(await readFile(generatedPath(name), "utf8")), bare(await withoutTypes(name))));
});
