import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { platformNames } from "@talaria/platforms";
import { librariesOf, packageOf } from "./imports.ts";
import { readRepository, readWorkspaces } from "./repository.ts";

const run = promisify(execFile);
const files = readRepository();
const names = [...platformNames, "web", "webhook"];

/** The libraries of each platform's package. */
const libraries = new Map(
  readWorkspaces(files).map((workspace) => [workspace.name.replace("@talaria/adapter-", ""), librariesOf(workspace)]),
);
const all = [...libraries.values()].flat();

/** Every package that a process asks for while it runs these statements, and the address of every file. */
async function loadedBy(statements: string): Promise<ReadonlySet<string>> {
  const source = `
    import { registerHooks } from "node:module";
    const names = new Set();
    registerHooks({ resolve(name, context, next) {
      const found = next(name, context);
      names.add(name).add(found.url);
      return found;
    } });
    const load = (path) => import(new URL(path, ${JSON.stringify(import.meta.url)}).href);
    ${statements}
    console.log(JSON.stringify([...names]));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", source]);
  const loaded = JSON.parse(stdout) as string[];
  // What reaches into a library has loaded it as well.
  return new Set(loaded.flatMap((name) => [name, packageOf(name)]));
}

/** The files of adapters themselves. */
function adaptersIn(loaded: ReadonlySet<string>): readonly string[] {
  return [...loaded].filter((name) => /\/adapters\/.*\/(?:create-)?adapter\.ts$/.test(name));
}

const registry = 'const platforms = await load("../../packages/platforms/src/index.ts");';
const gateway = 'await load("../../apps/gateway/src/index.ts");';

describe("the module of a platform", () => {
  it("loads nothing but ours and zod, for all of them together", async () => {
    const loaded = await loadedBy(
      `${registry} for (const name of ${JSON.stringify(names)}) if (!(await platforms.hintOf(name))) throw new Error(name);`,
    );
    for (const name of names) assert.ok(loaded.has(`@talaria/adapter-${name}`), name);
    const foreign = [...loaded].filter((name) => /\/node_modules\/(?!zod\/)/.test(name));
    assert.deepEqual(foreign, []);
    assert.deepEqual(adaptersIn(loaded), []);
  });

  it("is not loaded with the list of names", async () => {
    const loaded = await loadedBy(registry);
    assert.deepEqual(
      [...loaded].filter((name) => /^@talaria|^zod/.test(name)),
      [],
    );
  });
});

describe("the gateway", () => {
  it("loads no platform's library when no account needs it", async () => {
    const loaded = await loadedBy(gateway);
    assert.ok(loaded.has("fastify"));
    assert.deepEqual(
      all.filter((name) => loaded.has(name)),
      [],
    );
  });

  for (const name of platformNames)
    it(`loads nobody else's library for ${name}`, async () => {
      const loaded = await loadedBy(`${gateway} ${registry} await (await platforms.loadPlatform("${name}")).load();`);
      assert.ok(loaded.has(`@talaria/adapter-${name}`));
      const own = libraries.get(name) ?? [];
      if (own.length > 0 && name !== "whatsapp")
        assert.ok(
          own.some((library) => loaded.has(library)),
          `${name} loads its library`,
        );
      assert.deepEqual(
        all.filter((library) => loaded.has(library) && !own.includes(library)),
        [],
      );
    });
});

describe("the worker", () => {
  it("holds no platform's library and no adapter, whatever platform a conversation is on", async () => {
    const loaded = await loadedBy(
      `await load("../../apps/worker/src/index.ts"); const { hintOf } = await load("../../packages/platforms/src/index.ts");
      for (const name of ${JSON.stringify(names)}) await hintOf(name);`,
    );
    for (const name of names) assert.ok(loaded.has(`@talaria/adapter-${name}`), name);
    assert.deepEqual(
      [...all, "undici"].filter((name) => loaded.has(name)),
      [],
    );
    assert.deepEqual(adaptersIn(loaded), []);
  });
});
