import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("./testing/slow-drain.ts", import.meta.url));

/** A process that drains for `drainMs` and tells what it does. */
async function startDrainer(drainMs: number) {
  const child = fork(file, [String(drainMs)]);
  const said: string[] = [];
  child.on("message", (word: string) => said.push(word));
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  await once(child, "message");
  return { child, said, exited };
}

/** Resolves with the milliseconds that were between the two. */
async function signalTwice(child: ChildProcess, pauseMs: number): Promise<number> {
  const from = performance.now();
  child.kill("SIGINT");
  await sleep(pauseMs);
  child.kill("SIGINT");
  return performance.now() - from;
}

describe("a stop signal", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    it(`drains on ${signal} and ends when that is done`, async () => {
      const { child, said, exited } = await startDrainer(20);
      child.kill(signal);
      assert.deepEqual(await exited, [0, null]);
      assert.deepEqual(said, ["ready", "drain", "drained"]);
    });

  it("that comes twice at the same time, from the terminal and from npm, is one", async () => {
    for (;;) {
      const { child, said, exited } = await startDrainer(400);
      const betweenMs = await signalTwice(child, 50);
      const end = await exited;
      // On a busy machine they may be too far apart to be one.
      if (betweenMs > 150) continue;
      assert.deepEqual(end, [0, null]);
      assert.deepEqual(said, ["ready", "drain", "drained"]);
      return;
    }
  });

  it("that comes again later ends the process at once", async () => {
    const { child, said, exited } = await startDrainer(60_000);
    await signalTwice(child, 500);
    assert.deepEqual(await exited, [130, null]);
    assert.deepEqual(said, ["ready", "drain"]);
  });
});
