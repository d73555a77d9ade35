import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestStore, type TestStore } from "./worker.fixture.ts";

const file = fileURLToPath(new URL("./testing/busy-process.ts", import.meta.url));
const ttlMs = 1_500;

describe("the lease of a process whose main thread is busy", () => {
  let test: TestStore;

  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  function startBusy(id: string, stuckAfterMs: number, busyMs: number): ChildProcess {
    return fork(file, [test.url, id, ttlMs, stuckAfterMs, busyMs].map(String));
  }

  async function isListed(id: string): Promise<boolean> {
    return (await test.store.processes.list()).some((row) => row.id === id);
  }

  it("is renewed for much longer than it lasts, and given up at the end", async () => {
    const child = startBusy("busy", 60_000, 2.5 * ttlMs);
    let isDone = false;
    const exited = once(child, "exit");
    await once(child, "message");
    child.once("message", () => {
      isDone = true;
    });
    let looks = 0;
    for (; !isDone; looks += 1) {
      const listed = await isListed("busy");
      if (!isDone) assert.ok(listed, "nobody may take its sessions");
      await sleep(50);
    }
    assert.ok(looks >= 3);
    assert.deepEqual(await exited, [0, null]);
    assert.equal(await isListed("busy"), false);
  });

  it("ends with the process when it is stuck for too long", async () => {
    const child = startBusy("stuck", 1_000, 600_000);
    assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
    while (await isListed("stuck")) await sleep(50);
  });
});
