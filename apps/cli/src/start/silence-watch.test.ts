import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "@talaria/postgres";
import { isRunning } from "@talaria/postgres/process-info";
import { silentLog, systemClock } from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import { waitFor } from "../../../../tests/support/wait-for.ts";

const file = fileURLToPath(new URL("./testing/leasing-child.ts", import.meta.url));
const supervisorFile = fileURLToPath(new URL("./testing/supervisor.ts", import.meta.url));
const stuckAfterMs = 6_000;
const leaseMs = 600_000;

describe("a child that hangs", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let store: Store;

  before(async () => {
    database = await createTestDatabase();
    await migrate(database.url, silentLog);
    store = createStore({ url: database.url, log: silentLog, clock: systemClock, maxConnections: 1 });
  });
  after(async () => {
    await store.close();
    await database.drop();
  });

  /** A supervisor with a child that serves. */
  async function supervised(id: string, busyMs = 0) {
    const args = [database.url, id, leaseMs, stuckAfterMs, busyMs, 0].map(String);
    const supervisor = fork(supervisorFile, ["start", file, ...args]);
    const said: string[] = [];
    let serves = false;
    supervisor.on("message", (message: "done" | { readonly said: string }) => {
      if (message === "done") serves = true;
      else said.push(message.said);
    });
    await waitFor(() => serves, "a child that serves");
    const pid = (await pidOf(id)) ?? 0;
    return { supervisor, said, pid };
  }

  async function pidOf(id: string): Promise<number | undefined> {
    return (await store.processes.list()).find((row) => row.id === id)?.pid;
  }

  async function end(supervisor: ChildProcess): Promise<void> {
    supervisor.kill("SIGKILL");
    if (supervisor.exitCode === null && supervisor.signalCode === null) await once(supervisor, "exit");
  }

  it("is killed and replaced, however long its lease lasts", async () => {
    const { supervisor, said, pid } = await supervised("hanging");
    process.kill(pid, "SIGSTOP");
    await waitFor(() => said.length > 1, "its end");
    assert.match(said[0] ?? "", /^the child has not moved for 5 s; it is killed$/);
    assert.match(said[1] ?? "", /^the child ended \(SIGKILL\); it starts again/);
    const next = await waitFor(async () => (await pidOf("hanging")) !== pid && pidOf("hanging"), "its successor");
    assert.equal(await isRunning(pid), false);
    await end(supervisor);
    await waitFor(async () => !(await isRunning(next || 0)), "the successor to see that its supervisor is gone");
  });

  for (const [what, isChildStopped] of [
    ["a supervisor that was stopped itself kills no child that moves", false],
    ["nor one that was stopped with it, as when a machine sleeps", true],
  ] as const)
    it(what, async () => {
      const { supervisor, said, pid } = await supervised(what);
      supervisor.kill("SIGSTOP");
      if (isChildStopped) process.kill(pid, "SIGSTOP");
      await sleep(2 * stuckAfterMs);
      supervisor.kill("SIGCONT");
      if (isChildStopped) process.kill(pid, "SIGCONT");
      await sleep(stuckAfterMs);
      assert.deepEqual(said, []);
      assert.ok(await isRunning(pid));
      await end(supervisor);
      await waitFor(async () => !(await isRunning(pid)), "its end");
    });
});
