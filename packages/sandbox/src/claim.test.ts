import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { claim, isClaimed } from "./claim.ts";

it("a claim lasts as long as its process, which may be killed", async (test) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-claim-"));
  test.after(() => rm(folder, { recursive: true }));
  const program = `const { claim } = await import(${JSON.stringify(import.meta.resolve("./claim.ts"))});
    console.log((await claim(${JSON.stringify(folder)})).path); setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [bytes] = await once(other.stdout, "data");
  const path = String(bytes).trim();
  assert.equal(await isClaimed(path), true);
  other.kill("SIGKILL");
  await once(other, "exit");
  assert.deepEqual(await readdir(folder), [path.slice(folder.length + 1)]);
  assert.equal(await isClaimed(path), false);
  assert.deepEqual(await readdir(folder), []);

  const own = await claim(folder);
  assert.equal(await isClaimed(own.path), true);
  await own.release();
  assert.equal(await isClaimed(own.path), false);
});

it("a claim on a folder with a long path works too", async (test) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-claim-"));
  test.after(() => rm(folder, { recursive: true }));
  const long = join(folder, "x".repeat(120));
  await mkdir(long);
  const own = await claim(long);
  assert.equal(await isClaimed(own.path), true);
  await own.release();
});
