import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { type Clock, silentLog, systemClock } from "@talaria/protocol";
import { createWorkspaces } from "./workspaces.ts";

async function world(text: string) {
  const folder = await mkdtemp(join(tmpdir(), "talaria-workspaces-"));
  const { sandbox } = loadConfig(text, { file: "talaria.yaml", env: {} }).config;
  const waits: (() => void)[] = [];
  const clock: Clock = {
    now: systemClock.now,
    elapsed: systemClock.elapsed,
    // The two seconds of idleness are ours, all other time is the system's.
    sleep: (ms, signal) =>
      ms !== 2_000
        ? systemClock.sleep(ms, signal)
        : new Promise((resolve, reject) => {
            waits.push(resolve);
            signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
          }),
  };
  const workspaces = createWorkspaces({
    config: sandbox,
    folder: join(folder, "w"),
    hidden: [],
    clock,
    log: silentLog,
  });
  return {
    workspaces,
    waits,
    async [Symbol.asyncDispose]() {
      await workspaces.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

it("the boundary is tried once the worker is idle, before anybody asks", async () => {
  await using here = await world("sandbox: { backend: local, unsafe: true }\n");
  let isIdle = false;
  const tried = here.workspaces.tryWhenIdle(() => isIdle);
  here.waits.shift()?.();
  await new Promise(setImmediate);
  assert.deepEqual([here.workspaces.state, here.waits.length], [undefined, 1]);
  isIdle = true;
  here.waits.shift()?.();
  await tried;
  assert.equal(here.workspaces.state?.isUsable, true);
  assert.equal(await here.workspaces.usable(), true);
});

it("a boundary that nobody has, or that costs something, is not tried, nor one of a worker that ends", async () => {
  for (const text of ["sandbox: { backend: off }\n", "sandbox: { backend: e2b, e2b: { apiKey: x } }\n"]) {
    await using here = await world(text);
    await here.workspaces.tryWhenIdle(() => true);
    assert.deepEqual([here.workspaces.state, here.waits.length], [undefined, 0]);
  }
  await using here = await world("sandbox: { backend: local, unsafe: true }\n");
  const tried = here.workspaces.tryWhenIdle(() => true);
  await here.workspaces.stop();
  await tried;
  assert.equal(here.workspaces.state, undefined);
});
