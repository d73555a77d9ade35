import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { createTestStore } from "../test-store.ts";

/** A process with a lease whose thread is made to fail: it cannot write this figure as JSON. */
const script = `
  const { keepLease } = await import(${JSON.stringify(join(import.meta.dirname, "lease-keeper.ts"))});
  const process_ = { id: "worker-1", kind: "worker", host: "here", pid: process.pid };
  const log = { debug() {}, info() {}, warn() {}, error: (_, sentence) => console.log(sentence) };
  const lease = await keepLease({ url: process.argv[1], process: process_, ttlMs: 3_000, stuckAfterMs: 60_000 }, log);
  lease.report({ figure: 1n });
`;

describe("a kept lease", () => {
  it("ends the process when its thread breaks", async () => {
    await using test = await createTestStore();
    const run = promisify(execFile)(process.execPath, ["-e", script, test.url], { timeout: 20_000 });
    await assert.rejects(run, ({ code, stdout }) => code === 1 && /the lease thread failed/.test(stdout));
  });
});
