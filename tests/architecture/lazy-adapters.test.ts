import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { packageOf } from "./imports.ts";

const run = promisify(execFile);
const gateway = JSON.stringify(import.meta.resolve("../../apps/gateway/src/index.ts"));

/** The library by which each platform is known. */
const libraries: Readonly<Record<string, string>> = {
  telegram: "grammy",
  discord: "discord.js",
  slack: "@slack/bolt",
  matrix: "matrix-js-sdk",
  email: "imapflow",
};

/** Names of every module that a process asks for while it loads the adapters of these platforms. */
async function loadedFor(...platforms: readonly string[]): Promise<ReadonlySet<string>> {
  const source = `
    import { registerHooks } from "node:module";
    const names = new Set();
    registerHooks({ resolve(name, context, next) { names.add(name); return next(name, context); } });
    const { loadPlatforms } = await import(${gateway});
    await loadPlatforms(${JSON.stringify(platforms)});
    console.log(JSON.stringify([...names]));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", source]);
  const names = JSON.parse(stdout) as string[];
  // What reaches into a library has loaded it as well.
  return new Set(names.flatMap((name) => [name, packageOf(name)]));
}

describe("the gateway", () => {
  it("loads no platform's library when no account needs it", async () => {
    const loaded = await loadedFor();
    assert.ok(loaded.has("fastify"));
    assert.deepEqual(
      [...Object.values(libraries), "@whiskeysockets/baileys"].filter((name) => loaded.has(name)),
      [],
    );
  });

  for (const [platform, library] of Object.entries(libraries))
    it(`loads nobody else's library for ${platform}`, async () => {
      const loaded = await loadedFor(platform);
      assert.ok(loaded.has(`@talaria/adapter-${platform}`));
      const others = Object.values(libraries).filter((name) => name !== library);
      assert.deepEqual(
        [...others, "@whiskeysockets/baileys"].filter((name) => loaded.has(name)),
        [],
      );
    });
});
