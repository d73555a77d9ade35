import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { it } from "node:test";
import { GatewayError, systemClock } from "@talaria/protocol";
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

it("asks a machine that has gone silent once to end a program", async () => {
  let asked = 0;
  let time = 0;
  const none = () => ({ stdin: new PassThrough(), output: new PassThrough(), complaint: () => "" });
  const lost = Promise.withResolvers<undefined>();
  const silent: RemoteMachine = {
    name: "silent",
    run: async (command) => {
      if (command.startsWith("mkdir ")) {
        const output = Readable.from([Buffer.from("/somewhere\nsh\n")]);
        return { ...none(), output, ended: Promise.resolve({ code: 0 }), close: () => undefined };
      }
      if (command.startsWith("cd ")) return { ...none(), ended: lost.promise, close: () => lost.resolve(undefined) };
      asked += 1;
      time += 30_000;
      throw new GatewayError("no answer within 30 s", { code: "unavailable" });
    },
  };
  const clock = { now: () => time, elapsed: () => time, sleep: systemClock.sleep };
  const place = await openRemotePlace(silent, "/base", "telegram:1", defaultLimits, clock);
  const program = await place.launch({ argv: ["sleep", "9"], folder: place.folder, variables: {} });
  await program.kill();
  assert.equal((await program.ended).signal, "SIGKILL");
  assert.equal(asked, 1);
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
