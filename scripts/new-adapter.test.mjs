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
    paths = await newAdapter("matrix", root);
  });

  after(() => rm(root, { recursive: true, force: true }));

  it("has the anatomy of an adapter, under its own name", async () => {
    const anatomy = ["README.md", "package.json", "src/index.ts", "src/config.ts", "src/adapter.ts", "src/client.ts"];
    for (const name of [...anatomy, "src/inbound.ts", "src/errors.ts", "src/conformance.test.ts"])
      assert.ok(paths.includes(`packages/adapters/matrix/${name}`), name);
    for (const path of paths) assert.doesNotMatch(await readFile(join(root, path), "utf8"), /loopback/i, path);
    assert.match(await readFile(join(root, "packages/adapters/matrix/src/index.ts"), "utf8"), /createMatrixAdapter/);
  });

  it("imports only what an adapter may", async () => {
    const sources = await Promise.all(
      paths
        .filter((path) => path.endsWith(".ts"))
        .map(async (path) => ({ path, text: await readFile(join(root, path), "utf8") })),
    );
    assert.deepEqual(
      importViolations({ name: "@talaria/adapter-matrix", folder: "packages/adapters/matrix", sources }),
      [],
    );
  });

  it("loads, and fails its tests until it is filled in", () => {
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const files = ["src/conformance.test.ts", "src/inbound.test.ts"].map((name) =>
      join("packages/adapters/matrix", name),
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

  it("is refused for a platform that nobody knows, and never overwrites one", async () => {
    await assert.rejects(newAdapter("pigeon-post", root), /is no platform: add it to packages\/protocol/);
    await assert.rejects(newAdapter("../x", root), /is no platform/);
    await assert.rejects(newAdapter("matrix", root), /packages\/adapters\/matrix exists/);
    await assert.rejects(newAdapter("telegram"), /exists/);
  });

  it("is refused by the command in one line", async () => {
    const failed = await run(process.execPath, [join(repository, "scripts/new-adapter.ts")]).catch((error) => error);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^new-adapter: "" is no platform.*\n$/);
  });
});
