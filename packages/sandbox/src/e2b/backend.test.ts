import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import type { SandboxConfig, SandboxLimits } from "../config.ts";
import { options, testConformance } from "../conformance.ts";
import { skipWithoutPeers } from "../missing-peers.fixture.ts";
import { createSandbox } from "../sandbox.ts";
import { type FakeE2b, startFakeE2b } from "./fake-e2b.fixture.ts";

const deps = { clock: systemClock, log: silentLog };

describe("commands in sandboxes of E2B, against a fake of its API", { skip: skipWithoutPeers(process.env.CI) }, () => {
  let base: string;
  let fake: FakeE2b;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-e2b-"));
    fake = await startFakeE2b();
  });
  after(async () => {
    await fake?.[Symbol.asyncDispose]();
    await rm(base, { recursive: true, force: true });
  });
  const config = (change: object = {}, limits: Partial<SandboxLimits> = {}): SandboxConfig => ({
    ...{ backend: "e2b", apiKey: fake.apiKey, apiUrl: fake.url, sandboxUrl: fake.url },
    ...{ template: "base", label: "test", folder: join(base, "w"), limits },
    ...change,
  });
  /** Started, with a workspace of this session. */
  const opened = async (sessionKey: string, change: object = {}) => {
    const sandbox = createSandbox(config(change), deps);
    assert.deepEqual((await sandbox.start()).reasons, []);
    return { sandbox, workspace: await sandbox.open(sessionKey) };
  };

  testConformance({ name: "e2b", config: (limits) => config({}, limits) });

  it("asks for a sandbox without a network that is paused and not lost, and leaves none of the self-test", async () => {
    const { sandbox } = await opened("asks", { label: "asks", template: "own" });
    const made = fake.asked.filter((line) => line.startsWith("POST /v2/sandboxes {")).at(-1) ?? "";
    const body = JSON.parse(made.slice("POST /v2/sandboxes ".length));
    assert.deepEqual(
      { ...body, metadata: Object.keys(body.metadata) },
      {
        ...{ templateID: "own", timeout: 600, allow_internet_access: false, autoPause: true },
        metadata: ["talaria"],
      },
    );
    assert.equal([...fake.sandboxes.values()].filter(({ template }) => template === "own").length, 1);
    await sandbox.stop();
    assert.deepEqual(
      [...fake.sandboxes.values()].filter(({ state }) => state === "running"),
      [],
    );
  });

  it("finds a session's sandbox again, and no other installation's", async () => {
    const first = await opened("again");
    await first.workspace.write("kept", Buffer.from("yes"));
    await first.sandbox.stop();
    const before = fake.sandboxes.size;
    const second = await opened("again");
    assert.equal(Buffer.from((await second.workspace.read("kept", { length: 9 })).bytes).toString(), "yes");
    assert.equal(fake.sandboxes.size, before);
    const other = await opened("again", { label: "other" });
    assert.equal(fake.sandboxes.size, before + 1);
    await Promise.all([second.sandbox.stop(), other.sandbox.stop()]);
  });

  it("goes on in a sandbox that was paused meanwhile, or in a new one where it was deleted", async () => {
    const { sandbox, workspace } = await opened("away");
    await workspace.run("V=1", options);
    fake.pauseAll();
    assert.equal((await workspace.exec({ command: "echo back" }, options)).output, "back\n");
    fake.deleteAll();
    await rm(join(base, "w"), { recursive: true });
    assert.equal((await workspace.exec({ command: "pwd" }, options)).output, `${workspace.folder}\n`);
    assert.equal((await workspace.run("echo $V.", options)).output, ".\n");
    await sandbox.stop();
  });

  it("makes one sandbox for commands that come at once, also where the old one was deleted", async () => {
    const { sandbox, workspace } = await opened("once");
    fake.deleteAll();
    await rm(join(base, "w"), { recursive: true });
    const all = await Promise.all([1, 2, 3, 4].map((n) => workspace.exec({ command: `echo ${n}` }, options)));
    assert.equal(all.map(({ output }) => output).join(""), "1\n2\n3\n4\n");
    assert.equal(fake.sandboxes.size, 1);
    await sandbox.stop();
  });

  it("lets two workers try the boundary at the same time", async () => {
    const two = [createSandbox(config(), deps), createSandbox(config(), deps)];
    const tests = await Promise.all(two.map((sandbox) => sandbox.start()));
    assert.deepEqual(
      tests.flatMap(({ reasons }) => reasons),
      [],
    );
    await Promise.all(two.map((sandbox) => sandbox.stop()));
  });

  it("tells of a sandbox that goes away while a command runs", async () => {
    const { sandbox, workspace } = await opened("lost");
    const { output, end } = await workspace.exec(
      { command: "echo begun; sleep 37.5" },
      { ...options, onOutput: () => fake.pauseAll() },
    );
    assert.match(output, /^begun\n/);
    assert.deepEqual(end, { kind: "signal", signal: "SIGKILL" });
    await sandbox.stop();
  });

  it("says what is wrong, without the key", async () => {
    const wrong = [
      [{ apiKey: `e2b_${"0".repeat(40)}` }, /E2B did not list its sandboxes: .*invalid API key/],
      [{ apiUrl: "http://127.0.0.1:1" }, /E2B did not list/],
      [{ folder: "relative" }, /absolute path/],
    ] as const;
    for (const [change, words] of wrong) {
      const { isUsable, reasons } = await createSandbox(config(change), deps).start();
      assert.equal(isUsable, false);
      assert.match(reasons.join(), words);
      assert.ok(!reasons.join().includes(fake.apiKey) && !reasons.join().includes("0000"));
    }
  });
});
