import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { plainSpawn } from "./index.ts";

const spawn = plainSpawn(systemClock, { PATH: "/usr/bin:/bin" });

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

it("ends a program that does not want to, with everything it has started", async () => {
  const script = "trap '' TERM; sleep 60 & echo $! $$; wait; wait";
  const child = await spawn({ server: "one", command: ["/bin/sh", "-c", script], variables: {} });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const ids = line.toString().trim().split(" ").map(Number);
  assert.deepEqual(ids.map(isAlive), [true, true]);
  await child.kill();
  assert.equal(await child.ended, "signal SIGKILL");
  const areGone = () => ids.every((id) => !isAlive(id));
  for (const until = AbortSignal.timeout(120_000); !areGone() && !until.aborted; ) await systemClock.sleep(10);
  assert.deepEqual(ids.map(isAlive), [false, false]);
});

it("lets a program end by itself when its input ends", async () => {
  const child = await spawn({ server: "one", command: ["cat"], variables: {} });
  await child.kill();
  assert.equal(await child.ended, "exit code 0");
  await child.kill();
});

it("says why a program could not be started", async () => {
  const absent = await spawn({ server: "one", command: ["/nonexistent"], variables: {} });
  assert.match(await absent.ended, /could not be started: .*ENOENT/);
  await absent.kill();
  const elsewhere = await spawn({ server: "one", command: ["cat"], variables: {}, folder: "/nonexistent" });
  assert.match(await elsewhere.ended, /could not be started/);
});
