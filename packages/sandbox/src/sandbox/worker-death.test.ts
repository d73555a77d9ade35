import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { skipWithoutPeers } from "../missing-peers.fixture.ts";

it("nothing outlives a worker that is killed", { skip: skipWithoutPeers(process.env.CI) }, async () => {
  const base = await mkdtemp(join(tmpdir(), "talaria-worker-death-"));
  await chmod(base, 0o711);
  const temporary = join(base, "t");
  await mkdir(temporary);
  const program = join(import.meta.dirname, "..", "testing", "worker-process.ts");
  const worker = spawn(process.execPath, [program, join(base, "w")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: temporary },
  });
  const first = await Promise.race([once(worker.stdout, "data"), once(worker, "exit").then(() => ["ended"])]);
  assert.equal(String(first[0]), "ready\n");
  assert.ok((await running(isSleeper)) >= 5);
  const isRelay = (line: string) => line.includes(`UNIX-LISTEN:${temporary}/`);
  assert.equal(await running(isRelay), 1);
  worker.kill("SIGKILL");
  const isLeft = (line: string) => isSleeper(line) || isRelay(line);
  for (let left = 200; (await running(isLeft)) > 0 && left > 0; left -= 1) await systemClock.sleep(50);
  assert.deepEqual([await running(isSleeper), await running(isRelay)], [0, 0]);
  assert.doesNotMatch((await readdir(temporary)).join(), /claude-http/);
  await rm(base, { recursive: true, force: true });
});

/** What sleeps for the time that only the program above gives. */
function isSleeper(line: string): boolean {
  return line === ["sleep", "3741", ""].join("\0");
}

/** Processes of this machine with such a command line. */
async function running(is: (line: string) => boolean): Promise<number> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "latin1").catch(() => "")));
  return lines.filter(is).length;
}
