import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importViolations } from "../tests/architecture/imports.ts";
import { newAdapter } from "./new-adapter.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("..", import.meta.url));

describe("a new adapter package", () => {
  let root;
  let paths;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "talaria-new-adapter-"));
    await symlink(join(repository, "node_modules"), join(root, "node_modules"));
    paths = await newAdapter("pigeon-post", root);
  });

  after(() => rm(root, { recursive: true, force: true }));

  it("has the anatomy of an adapter, under its own name", async () => {
    const anatomy = [
      "README.md",
      "GUIDE.md",
      "package.json",
      "src/index.ts",
      "src/platform.ts",
      "src/emulator/stage.ts",
      "src/config.ts",
      "src/adapter.ts",
      "src/client.ts",
    ];
    for (const name of [...anatomy, "src/inbound.ts", "src/errors.ts", "src/conformance.test.ts"])
      assert.ok(paths.includes(`packages/adapters/pigeon-post/${name}`), name);
    for (const path of paths) assert.doesNotMatch(await readFile(join(root, path), "utf8"), /loopback/i, path);
    assert.match(
      await readFile(join(root, "packages/adapters/pigeon-post/src/adapter.ts"), "utf8"),
      /createPigeonPostAdapter/,
    );
  });

  it("imports only what an adapter may", async () => {
    const sources = await Promise.all(
      paths
        .filter((path) => path.endsWith(".ts"))
        .map(async (path) => ({ path, text: await readFile(join(root, path), "utf8") })),
    );
    assert.deepEqual(
      importViolations({ name: "@talaria/adapter-pigeon-post", folder: "packages/adapters/pigeon-post", sources }),
      [],
    );
  });

  it("loads, and fails its tests until it is filled in", () => {
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const files = ["src/conformance.test.ts", "src/inbound.test.ts"].map((name) =>
      join("packages/adapters/pigeon-post", name),
    );
    const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...files], {
      cwd: root,
      env,
    });
    const report = String(stdout);
    assert.equal(status, 1, report);
    assert.match(report, /write the harness/);
    assert.match(report, /^# pass 0$/m);
    assert.doesNotMatch(report, /ERR_MODULE_NOT_FOUND|SyntaxError/);
  });

  it("gives out the platform's module without loading the adapter", async () => {
    const { platform } = await import(join(root, "packages/adapters/pigeon-post/src/index.ts"));
    assert.equal(platform.name, "pigeon-post");
    assert.equal(typeof (await platform.load()), "function");
  });

  it("is refused for what can't be a name, and never overwrites one", async () => {
    for (const name of ["", "../x", "IRC", "9gag", "a".repeat(33)])
      await assert.rejects(newAdapter(name, root), /can't be a platform's name: lower-case letters/, name);
    for (const name of ["kit", "loopback"]) await assert.rejects(newAdapter(name, root), /meaning of its own/);
    await assert.rejects(newAdapter("pigeon-post", root), /packages\/adapters\/pigeon-post exists/);
    await assert.rejects(newAdapter("telegram"), /exists/);
  });

  it("is refused by the command in one line", async () => {
    const failed = await run(process.execPath, [join(repository, "scripts/new-adapter.ts")]).catch((error) => error);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^new-adapter: "" can't be a platform's name.*\n$/);
  });
});
