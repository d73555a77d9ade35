import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { skipWithoutPeers } from "../missing-peers.fixture.ts";

it("nothing outlives a worker that is killed", { skip: skipWithoutPeers(process.env.CI) }, async () => {
  const base = await mkdtemp(join(tmpdir(), "talaria-worker-death-"));
  await chmod(base, 0o711);
  const program = join(import.meta.dirname, "..", "testing", "worker-process.ts");
  const worker = spawn(process.execPath, [program, join(base, "w")], { stdio: ["ignore", "pipe", "inherit"] });
  const first = await Promise.race([once(worker.stdout, "data"), once(worker, "exit").then(() => ["ended"])]);
  assert.equal(String(first[0]), "ready\n");
  assert.ok((await sleepers()) >= 5);
  worker.kill("SIGKILL");
  for (let left = 200; (await sleepers()) > 0 && left > 0; left -= 1) await systemClock.sleep(50);
  assert.equal(await sleepers(), 0);
  await rm(base, { recursive: true, force: true });
});

/** Processes of this machine that sleep for the time that only the program above gives. */
async function sleepers(): Promise<number> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "latin1").catch(() => "")));
  return lines.filter((line) => line === ["sleep", "3741", ""].join("\0")).length;
}
