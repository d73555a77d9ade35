import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadOrCreateToken } from "./token-file.ts";

describe("the token file", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  it("is made once, for its owner only, with 256 bits", async () => {
    const file = join(folder, "first");
    const token = await loadOrCreateToken(file);
    assert.equal(Buffer.from(token, "base64url").length, 32);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal(await loadOrCreateToken(file), token);
  });

  it("is one and the same for many starters at once", async () => {
    for (let round = 0; round < 20; round += 1) {
      const file = join(folder, `race-${round}`);
      const tokens = await Promise.all(Array.from({ length: 10 }, () => loadOrCreateToken(file)));
      assert.equal(new Set(tokens).size, 1);
    }
  });

  it("is read without the line end somebody added", async () => {
    const file = join(folder, "edited");
    await writeFile(file, "0123456789abcdef\r\n\n");
    assert.equal(await loadOrCreateToken(file), "0123456789abcdef");
  });

  for (const [name, text] of [
    ["empty", ""],
    ["blank", " \n"],
    ["short", "123456789012345"],
  ] as const)
    it(`is never replaced when it is ${name}: the error names the remedy`, async () => {
      const file = join(folder, name);
      await writeFile(file, text);
      await assert.rejects(loadOrCreateToken(file), /is damaged: delete it/);
      assert.equal((await stat(file)).size, text.length);
    });

  it("names the remedy when its folder cannot be written", async () => {
    await assert.rejects(
      loadOrCreateToken(join(folder, "missing", "token")),
      /make its folder writable, or set auth\.token/,
    );
  });
});
