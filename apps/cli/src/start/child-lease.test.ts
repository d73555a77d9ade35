import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "@talaria/postgres";
import { isRunning } from "@talaria/postgres/process-info";
import { silentLog, systemClock } from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { Child } from "./child.ts";
import type { Life as SaidLife } from "./life.ts";

const file = fileURLToPath(new URL("./testing/leasing-child.ts", import.meta.url));
const supervisorFile = fileURLToPath(new URL("./testing/supervisor.ts", import.meta.url));
const ttlMs = 900;
const longMs = 600_000;

describe("the lease of a supervised worker", () => {
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

  interface Life {
    readonly ttlMs?: number;
    readonly stuckAfterMs?: number;
    readonly busyMs?: number;
    readonly drainMs?: number;
  }

  function argumentsFor(id: string, life: Life): string[] {
    const { stuckAfterMs = 60_000, busyMs = 0, drainMs = 0 } = life;
    return [database.url, id, life.ttlMs ?? ttlMs, stuckAfterMs, busyMs, drainMs].map(String);
  }

  function childFor(id: string, life: Life) {
    const said: string[] = [];
    const common = { name: id, file, env: process.env, logFile: 2, say: (line: string) => said.push(line) };
    return { child: new Child({ ...common, args: argumentsFor(id, life) }), said };
  }

  async function pidOf(id: string): Promise<number | undefined> {
    return (await store.processes.list()).find((row) => row.id === id)?.pid;
  }

  function lifeOf({ life }: Readonly<Record<string, unknown>>): Partial<SaidLife> {
    return (life ?? {}) as Partial<SaidLife>;
  }

  async function isListedFor(id: string, durationMs: number): Promise<void> {
    for (const until = performance.now() + durationMs; performance.now() < until; await sleep(50))
      assert.ok((await pidOf(id)) !== undefined, "nobody may take its sessions");
  }

  it("is renewed while the worker is busy for longer than it lasts, and given up at the end", async () => {
    const { child, said } = childFor("busy", { busyMs: 4 * ttlMs });
    await child.start();
    await isListedFor("busy", 3 * ttlMs);
    await child.stop();
    assert.equal(await pidOf("busy"), undefined);
    assert.deepEqual(said, []);
  });

  it("says from the start how often the worker has ended by itself, and keeps saying so beside what that says", async () => {
    const { child } = childFor("mortal", { ttlMs: longMs });
    await child.start();
    for (const crashes of [0, 1, 2]) {
      const row = await waitFor(
        async () => (await store.processes.list()).find(({ stats }) => lifeOf(stats).crashes === crashes),
        `life after ${crashes} deaths`,
        120_000,
      );
      const { name, how } = lifeOf(row.stats);
      assert.deepEqual([name, how], ["mortal", crashes === 0 ? undefined : "SIGKILL"]);
      process.kill(row.pid, "SIGKILL");
    }
    await child.stop();
  });

  it("is free as soon as the worker is killed", async () => {
    const { child } = childFor("killed", { ttlMs: longMs });
    await child.start();
    const pid = await pidOf("killed");
    child.kill();
    assert.ok(pid !== undefined);
    await waitFor(async () => (await pidOf("killed")) === undefined, "its lease to be given up");
  });

  it("ends with a worker that is stuck for too long, which is then started again", async () => {
    const { child, said } = childFor("stuck", { stuckAfterMs: 2_000, busyMs: longMs });
    await child.start();
    await waitFor(() => said.length > 1, "its end");
    assert.match(said[1] ?? "", /^the stuck ended \(SIGKILL\); it starts again/);
    child.kill();
  });

  it("is kept by the worker itself while it drains after its supervisor was killed", async () => {
    // Its thread loads the driver before it renews, which takes a while on a busy machine.
    const life = { ttlMs: 4 * ttlMs, busyMs: 0, drainMs: 8 * ttlMs };
    const supervisor = fork(supervisorFile, ["start", file, ...argumentsFor("orphan", life)]);
    await once(supervisor, "message");
    const pid = await pidOf("orphan");
    supervisor.kill("SIGKILL");
    await isListedFor("orphan", 6 * ttlMs);
    await waitFor(async () => (await pidOf("orphan")) === undefined, "the end of the drain");
    await waitFor(async () => !(await isRunning(pid ?? 0)), "the end of the worker");
  });

  it("is told to be impossible when the database does not answer", async () => {
    const url = new URL(database.url);
    url.port = "1";
    const lost = new Child({
      ...{ name: "lost", file, env: process.env, logFile: 2, say: () => undefined },
      args: [url.href, ...argumentsFor("lost", {}).slice(1)],
    });
    await assert.rejects(lost.start(), /the lost ended before it served/);
  });
});
