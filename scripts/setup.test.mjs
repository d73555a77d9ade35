// The scripts as a person with an older Node.js meets them: a small repository, the real scripts, the real registry.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecent, pins } from "./runtime.mjs";

const pinned = pins[`node-${process.platform}-${process.arch}`]?.version;
const oldNode = findOldNode();
const skip = oldNode === undefined ? "needs an older Node.js at /usr/bin/node" : false;

const program = `
  let signals = 0;
  process.on("SIGINT", () => console.log("signal " + ++signals));
  process.on("SIGTERM", () => process.exit(7));
  console.log(JSON.stringify({ node: process.version, given: process.argv.slice(2) }));
  if (process.argv.includes("wait")) setInterval(() => undefined, 1_000);`;

describe("the scripts on an older Node.js", { skip }, () => {
  it("fetch the pinned Node.js once although two start together, and run the command with it", async (test) => {
    const folder = smallRepository(test);
    const [one, two] = await Promise.all([run(folder, ["start", "--", "--a"]), run(folder, ["start"])]);
    const offline = [one, two].some((each) => each.errors.includes("registry can't be reached"));
    if (offline && process.env.CI !== "true") return test.skip("needs the package registry");
    assert.deepEqual(JSON.parse(one.output), { node: `v${pinned}`, given: ["start", "--a"] }, one.errors);
    assert.deepEqual(JSON.parse(two.output), { node: `v${pinned}`, given: ["start"] }, two.errors);
    const fetched = readdirSync(join(folder, ".runtime")).filter((name) => name.startsWith("node"));
    assert.deepEqual(fetched, [`node-${pinned}`]);

    const again = await run(folder, ["start"]);
    assert.equal(again.errors, "");
  });

  it("say in one line that the registry can't be reached", async (test) => {
    const folder = smallRepository(test);
    const result = await run(folder, ["start"], {
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_cache: join(folder, "cache"),
      npm_config_fetch_retries: "0",
    });
    assert.equal(result.code, 1);
    assert.match(result.errors, /^Fetching Node.js .*\ntalaria: Fetching Node.js failed: the package registry .*\n$/);
    assert.deepEqual(readdirSync(join(folder, ".runtime")), []);
  });

  it("refuse a Node.js whose digest is not the pinned one, and keep nothing of it", async (test) => {
    const folder = smallRepository(test);
    const script = join(folder, "scripts", "runtime.mjs");
    const text = readFileSync(script, "utf8");
    writeFileSync(script, text.replaceAll(/"sha512-\w{4}/g, '"sha512-AAAA'));
    const result = await run(folder, ["start"]);
    if (result.errors.includes("registry can't be reached") && process.env.CI !== "true")
      return test.skip("needs the package registry");
    assert.equal(result.code, 1);
    assert.match(result.errors, /talaria: Fetching Node.js failed: a package is not the one that was pinned .*\n$/);
    assert.deepEqual(readdirSync(join(folder, ".runtime")), []);
  });

  it("install the dependencies without running an install script", async (test) => {
    const folder = smallRepository(test, { runtime: true, scripts: { postinstall: "echo ran > ran" } });
    const result = await run(folder, ["start"]);
    assert.equal(result.code, 0, result.errors);
    assert.match(result.errors, /^Installing the dependencies /);
    assert.equal(existsSync(join(folder, "ran")), false);
  });

  it("pass each signal on once, and the exit code back", async (test) => {
    const folder = smallRepository(test, { runtime: true });
    const child = spawn(oldNode, ["scripts/run.mjs", "start", "wait"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    child.kill("SIGINT");
    await sleep(50);
    child.kill("SIGINT");
    assert.equal((await lines.next()).value, "signal 1");
    await sleep(400);
    child.kill("SIGINT");
    assert.equal((await lines.next()).value, "signal 2");
    child.kill("SIGTERM");
    assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 7);
  });

  it("refuse an unknown task", async (test) => {
    const result = await run(smallRepository(test, { runtime: true }), ["strat"]);
    assert.equal(result.code, 2);
    assert.match(result.errors, /Unknown task "strat"\. There are: start, test/);
  });
});

describe("the scripts on a Node.js that is recent enough", () => {
  it("become the command where the system can, so that no second process stays", async (test) => {
    if (typeof process.execve !== "function") return test.skip("this Node.js has no execve");
    const folder = smallRepository(test);
    const child = spawn(process.execPath, ["scripts/talaria.mjs", "wait"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assert.deepEqual(JSON.parse((await lines.next()).value).given, ["wait"]);
    child.kill("SIGTERM");
    assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 7);
    assert.equal(existsSync(join(folder, ".runtime", `node-${pinned}`)), false);
  });

  it("are those that strip types without a flag", () => {
    const versions = ["20.20.2", "22.30.0", "24.11.1", "24.12.0", "24.21.0", "26.0.0"];
    assert.deepEqual(versions.map(isRecent), [false, false, false, true, true, true]);
  });
});

function findOldNode() {
  try {
    const version = execFileSync("/usr/bin/node", ["--version"], { encoding: "utf8" }).trim().slice(1);
    return isRecent(version) ? undefined : "/usr/bin/node";
  } catch {
    return undefined;
  }
}

/** A repository without dependencies whose `talaria` is `program`. `runtime` puts the current Node.js where the pinned one goes. */
function smallRepository(test, { runtime = false, scripts = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "talaria-scripts-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(import.meta.dirname, join(folder, "scripts"), { recursive: true });
  mkdirSync(join(folder, "apps", "cli", "src"), { recursive: true });
  writeFileSync(join(folder, "apps", "cli", "src", "main.ts"), program);
  const manifest = { name: "small", version: "1.0.0", type: "module", scripts };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  mkdirSync(join(folder, "node_modules"));
  if (runtime) {
    const bin = join(folder, ".runtime", `node-${pinned}`, "bin");
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, join(bin, "node"));
  }
  return folder;
}

/** Runs scripts/run.mjs by the older Node.js as a shell would: outside npm, with that Node.js first in PATH. */
async function run(folder, parameters, environment = {}) {
  const { npm_execpath: _program, npm_lifecycle_event: _event, ...inherited } = process.env;
  const path = `${dirname(oldNode)}:${process.env.PATH}`;
  const child = spawn(oldNode, ["scripts/run.mjs", ...parameters], {
    cwd: folder,
    env: { ...inherited, PATH: path, NODE_TEST_CONTEXT: undefined, ...environment },
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, output, errors };
}
