import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { defaultLimits } from "../config.ts";
import { markName } from "./remote-kill.ts";
import type { RemoteEnd, RemoteMachine } from "./remote-machine.ts";
import { openRemotePlace } from "./remote-place.ts";

/** This machine, on which a program takes its time before it bears its mark. */
const slowMachine: RemoteMachine = {
  name: "slow",
  run: async (command) => {
    const isProgram = command.startsWith("cd ");
    const child = spawn("/bin/sh", ["-c", isProgram ? `sleep 0.4; ${command}` : command]);
    const ended = Promise.withResolvers<RemoteEnd | undefined>();
    child.once("close", (code, signal) => ended.resolve(signal === null ? { code: code ?? 0 } : { signal }));
    return {
      ...{ stdin: child.stdin, output: child.stdout, complaint: () => "", ended: ended.promise },
      close: () => {
        child.stdout.destroy();
        ended.resolve(undefined);
      },
    };
  },
};

it("kills a program that was begun so short a time ago that it can't be told from others", async () => {
  const base = await mkdtemp(join(tmpdir(), "talaria-remote-"));
  try {
    const place = await openRemotePlace(slowMachine, base, "telegram:1", defaultLimits, systemClock);
    const argv = ["/bin/sh", "-c", "setsid sleep 36.5 & sleep 36.5"];
    const program = await place.launch({ argv, folder: place.folder, variables: {} });
    program.output.resume();
    await program.kill();
    assert.equal((await program.ended).signal, "SIGKILL");
    // Had it lived, it would bear the mark by now.
    await systemClock.sleep(1_000);
    assert.deepEqual(await markedIn(place.folder), []);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
});

/** Programs of that workspace that run on this machine. */
async function markedIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const variables = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
    if (variables.includes(`${markName}=`) && variables.includes(`HOME=${folder}`)) found.push(id);
  }
  return found;
}
