import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { brandAs, type ProcessId, silentLog } from "@talaria/protocol";
import { createTestStore } from "../test-store.ts";
import { keepLease } from "./lease-keeper.ts";

/** A process with a lease whose thread is made to fail: it cannot write this figure as JSON. */
const script = `
  const { keepLease } = await import(${JSON.stringify(join(import.meta.dirname, "lease-keeper.ts"))});
  const process_ = { id: "worker-1", kind: "worker", host: "here", pid: process.pid };
  const log = { debug() {}, info() {}, warn() {}, error: (_, sentence) => console.log(sentence) };
  const lease = await keepLease({ url: process.argv[1], process: process_, ttlMs: 3_000, stuckAfterMs: 60_000 }, log);
  lease.report({ figure: 1n });
`;

describe("a kept lease", () => {
  it("shows what was reported last, through later renewals and after it has lapsed", async () => {
    await using test = await createTestStore();
    const id = brandAs<ProcessId>("worker-2");
    const process_ = { id, kind: "worker", host: "here", pid: process.pid } as const;
    const lease = await keepLease({ url: test.url, process: process_, ttlMs: 1_500, stuckAfterMs: 60_000 }, silentLog);
    const shown = async () => (await test.store.processes.list()).find((one) => one.id === id)?.stats;
    const soon = async (figure: number) => {
      const giveUpAt = performance.now() + 10_000;
      while ((await shown())?.figure !== figure && performance.now() < giveUpAt) await sleep(20);
      assert.deepEqual(await shown(), { figure });
    };
    try {
      lease.report({ figure: 1 });
      await soon(1);
      lease.report({ figure: 2 });
      await soon(2);
      await sleep(1_200);
      assert.deepEqual(await shown(), { figure: 2 });
      await test.store.processes.retire(id);
      await soon(2);
    } finally {
      await lease.retire();
    }
  });

  it("ends the process when its thread breaks", async () => {
    await using test = await createTestStore();
    const run = promisify(execFile)(process.execPath, ["-e", script, test.url], { timeout: 120_000 });
    await assert.rejects(run, ({ code, stdout }) => code === 1 && /the lease thread failed/.test(stdout));
  });
});
