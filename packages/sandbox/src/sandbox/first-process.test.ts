import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { it } from "node:test";
import { procOf } from "./first-process.ts";

it("takes the machine's own /proc for nobody's", async () => {
  // As bubblewrap is for a moment: its child is there, and still sees the machine's folders.
  const parent = spawn("sh", ["-c", "sleep 38.5 & echo begun; wait"], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  await once(parent.stdout, "data");
  assert.equal(await procOf(parent.pid ?? 0, tmpdir()), undefined);
  process.kill(-(parent.pid ?? 0), "SIGKILL");
});
