import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { bundleFolder, bundles } from "../../scripts/bundle-console.ts";

describe("what the console's pages run", () => {
  it("is what `node scripts/bundle-console.ts` writes: run it after a change below apps/console/src/public", async () => {
    const written = await bundles();
    assert.deepEqual((await readdir(bundleFolder)).toSorted(), [...written.keys()].toSorted());
    for (const [name, text] of written)
      assert.ok((await readFile(new URL(name, bundleFolder), "utf8")) === text, `${name} is another one`);
  });

  it("names the licence of what is in it where that asks for it", async () => {
    assert.match(await readFile(new URL("console.js", bundleFolder), "utf8"), /DOMPurify [\d.]+ \| \(c\) Cure53/);
  });
});
