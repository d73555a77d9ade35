import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase } from "@talaria/postgres";
import { type AccountId, brandAs, type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { freeFormer } from "./free-former.ts";

const longMs = 600_000;
const former = "6f1a3c1e-0000-4000-8000-000000000001";
const foreign = "6f1a3c1e-0000-4000-8000-000000000002";

describe("what processes of an earlier start held", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let store: Store;
  let deadPid: number;

  before(async () => {
    database = await createTestDatabase();
    await migrate(database.url, silentLog);
    store = createStore({ url: database.url, log: silentLog, clock: systemClock, maxConnections: 1 });
    const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    deadPid = child.pid ?? 0;
    await once(child, "exit");
  });
  after(async () => {
    await store.close();
    await database.drop();
  });

  /** A gateway with an account of its own, both named alike. */
  async function gateway(name: string, row: { supervisor?: string; host?: string; pid?: number }): Promise<void> {
    const id = brandAs<ProcessId>(name);
    await store.processes.register({ id, kind: "gateway", host: hostname(), pid: deadPid, ...row }, longMs);
    await store.accounts.acquire(brandAs<AccountId>(name), "loopback", id, longMs);
  }

  async function left() {
    const processes = (await store.processes.list()).map(({ id }): string => id).sort();
    const held = (await store.accounts.list()).flatMap(({ accountId, holder }) => (holder ? [accountId] : []));
    assert.deepEqual(held.map(String).sort(), processes, "accounts go with their holder, and only with it");
    for (const id of processes) await store.processes.retire(brandAs<ProcessId>(id));
    return processes;
  }

  it("is free once they are dead, and nobody else is touched", async () => {
    await gateway("dead", { supervisor: former });
    await gateway("foreign", { supervisor: foreign });
    await gateway("alone", {});
    await gateway("elsewhere", { supervisor: former, host: "another-machine" });
    await freeFormer(store.processes, { ids: [former] });
    assert.deepEqual(await left(), ["alone", "elsewhere", "foreign"]);
  });

  it("is free in a database that was moved with its folder, also what another machine or an unknown start held", async () => {
    const current = "6f1a3c1e-0000-4000-8000-000000000003";
    await gateway("foreign", { supervisor: foreign });
    await gateway("elsewhere", { supervisor: former, host: "another-machine" });
    await gateway("current", { supervisor: current, host: "renamed-machine" });
    await gateway("alone", { host: "another-machine" });
    await freeFormer(store.processes, { ids: [], soleUser: current });
    assert.deepEqual(await left(), ["alone", "current"]);
  });

  it("stays with one that still runs", async (test) => {
    const env = { ...process.env, TALARIA_SUPERVISOR: former };
    const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1_000)"], { env, stdio: "ignore" });
    test.after(() => child.kill("SIGKILL"));
    await once(child, "spawn");
    await gateway("draining", { supervisor: former, pid: child.pid ?? 0 });
    await freeFormer(store.processes, { ids: [former] });
    assert.deepEqual(await left(), ["draining"]);
  });

  const skip = process.platform === "linux" ? false : "needs /proc";
  it("is free when nobody has collected the dead process, as in a container without an init", {
    skip,
  }, async (test) => {
    const env = { ...process.env, TALARIA_SUPERVISOR: former };
    // The shell becomes a program that never asks how its child ended.
    const parent = spawn("/bin/sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { env });
    test.after(() => parent.kill("SIGKILL"));
    const [text] = await once(parent.stdout.setEncoding("utf8"), "data");
    const pid = Number(text);
    process.kill(pid, "SIGKILL");
    await waitFor(async () => (await readFile(`/proc/${pid}/stat`, "utf8")).includes(") Z "), "the zombie");
    await gateway("zombie", { supervisor: former, pid });
    await freeFormer(store.processes, { ids: [former] });
    assert.deepEqual(await left(), []);
  });

  describe("with one that is killed and has not ended yet", { skip }, () => {
    let proc: string;
    let environ: string;
    before(async () => {
      proc = await mkdtemp(join(tmpdir(), "talaria-proc-"));
      await mkdir(join(proc, String(process.pid)));
      environ = join(proc, String(process.pid), "environ");
      await writeStatus("0000000000000100");
    });
    after(() => rm(proc, { recursive: true }));
    beforeEach(() => writeFile(environ, `HOME=/\0TALARIA_SUPERVISOR=${former}\0`));
    const writeStatus = (pending: string) =>
      writeFile(
        join(proc, String(process.pid), "status"),
        `State:\tR (running)\nSigPnd:\t0000000000000000\nShdPnd:\t${pending}\nSigBlk:\t0000000000000100\n`,
      );

    it("is free as soon as its memory is gone", async () => {
      await gateway("dying", { supervisor: former, pid: process.pid });
      const freed = freeFormer(store.processes, { ids: [former] }, proc);
      assert.equal(await Promise.race([freed, sleep(200, "waits")]), "waits");
      await writeFile(environ, "");
      await freed;
      assert.deepEqual(await left(), []);
    });

    it("is free as soon as the system knows it no more", async () => {
      await gateway("dying", { supervisor: former, pid: process.pid });
      const freed = freeFormer(store.processes, { ids: [former] }, proc);
      assert.equal(await Promise.race([freed, sleep(200, "waits")]), "waits");
      await rm(environ);
      await freed;
      assert.deepEqual(await left(), []);
    });

    it("stays with it when another signal waits for it", async () => {
      await writeStatus("0000000000004200");
      await gateway("stopping", { supervisor: former, pid: process.pid });
      await freeFormer(store.processes, { ids: [former] }, proc);
      assert.deepEqual(await left(), ["stopping"]);
    });
  });

  it("is free when the system gave the process id to another program", { skip }, async () => {
    await gateway("replaced", { supervisor: former, pid: process.pid });
    await freeFormer(store.processes, { ids: [former] });
    assert.deepEqual(await left(), []);
  });
});
