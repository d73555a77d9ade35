import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { brandAs, type Clock, silentLog, systemClock } from "@talaria/protocol";
import { createWorkspaces } from "./workspaces.ts";

async function world(text: string, agentName?: string) {
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
    ...(agentName === undefined ? {} : { agentName }),
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

it("commits carry the agent's name, as one line without an address, unless the configuration names somebody", async () => {
  const authorOf = async (config: string, agentName?: string) => {
    await using here = await world(`sandbox: { backend: local, unsafe: true${config} }\n`, agentName);
    assert.equal(await here.workspaces.usable(), true);
    const workspace = await here.workspaces.open(brandAs("a"));
    const command = "git init -q r && cd r && git commit -q --allow-empty -m x && git log -1 --format='%an <%ae>'";
    const options = { timeoutMs: 120_000, signal: new AbortController().signal, maxOutputChars: 1_000 };
    return (await workspace.exec({ command }, options)).output.trim();
  };
  assert.equal(await authorOf("", "Hermes"), "Hermes <talaria@localhost>");
  assert.equal(
    await authorOf("", 'H" <root@example.org>\n[core]\n\tpager = x'),
    'H" root@example.org [core] pager = x <talaria@localhost>',
  );
  assert.equal(await authorOf(", author: { name: Ada, email: a@example.org }", "Hermes"), "Ada <a@example.org>");
  assert.equal(await authorOf("", " \n "), "Talaria <talaria@localhost>");
});
