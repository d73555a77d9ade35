import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { exposureOf } from "./exposure.ts";

const secret = "123456:canary-token-canary-token";

describe("a configuration file that others may read", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  for (const [name, text, mode, isReported] of [
    ["is reported when it holds a secret", `token: "${secret}"`, 0o644, true],
    ["is reported when only its group may read it", `token: "${secret}"`, 0o640, true],
    ["is fine with references", "token: $" + "{BOT_TOKEN}", 0o644, false],
    ["is fine when nobody else may", `token: "${secret}"`, 0o600, false],
  ] as const)
    it(name, async () => {
      const file = join(folder, "config.yaml");
      await writeFile(file, text);
      await chmod(file, mode);
      const warning = await exposureOf(file, [secret, "short"]);
      assert.equal(warning !== undefined, isReported);
      if (warning === undefined) return;
      assert.match(warning, /config\.yaml holds secrets .* run chmod 600 on it/);
      assert.doesNotMatch(warning, /canary/);
    });

  it("need not exist", async () => {
    assert.equal(await exposureOf(join(folder, "none"), [secret]), undefined);
  });
});
