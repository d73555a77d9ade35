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
import { type FakeModal, startFakeModal } from "./fake-modal.fixture.ts";

const deps = { clock: systemClock, log: silentLog };

describe("commands in sandboxes of Modal, against a fake of its API", {
  skip: skipWithoutPeers(process.env.CI),
}, () => {
  let base: string;
  let fake: FakeModal;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-modal-"));
    fake = await startFakeModal(join(base, "volumes"));
  });
  after(async () => {
    await fake?.[Symbol.asyncDispose]();
    await rm(base, { recursive: true, force: true });
  });
  const config = (change: object = {}, limits: Partial<SandboxLimits> = {}): SandboxConfig => ({
    ...{ backend: "modal", tokenId: fake.tokenId, tokenSecret: fake.tokenSecret, serverUrl: fake.url },
    ...{ app: "test", image: "debian:12", folder: join(base, "w"), limits },
    ...change,
  });
  /** Started, with a workspace of this session. */
  const opened = async (sessionKey: string, change: object = {}) => {
    const sandbox = createSandbox(config(change), deps);
    assert.deepEqual((await sandbox.start()).reasons, []);
    return { sandbox, workspace: await sandbox.open(sessionKey) };
  };
  const running = (app = "test") => fake.sandboxes.filter((one) => one.isRunning && one.app === app);

  testConformance({ name: "modal", config: (limits) => config({}, limits) });

  it("asks for a sandbox without a network, with a volume and an end, and leaves none of the self-test", async () => {
    const { sandbox } = await opened("asks", { app: "asks", image: "own:1" });
    const [{ definition, image } = assert.fail("there is none"), ...others] = running("asks");
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...definition, volumeMounts: definition.volumeMounts.length, imageId: image, name: "" },
      {
        ...{ imageId: "FROM own:1", timeoutSecs: 86_400, idleTimeoutSecs: 600, name: "", volumeMounts: 1 },
        networkAccess: { networkAccessType: 2 },
      },
    );
    assert.deepEqual(
      fake.sandboxes.filter(({ app }) => app === "asks").map((one) => fake.volumes.has(one.definition.name)),
      [false, true],
    );
    const volumes = fake.volumes.size;
    await sandbox.stop();
    assert.deepEqual(running("asks"), []);
    assert.equal(fake.volumes.size, volumes);
  });

  it("finds a session's files again, and no other installation's", async () => {
    const first = await opened("again");
    await first.workspace.write("kept", Buffer.from("yes"));
    await first.sandbox.stop();
    const second = await opened("again");
    assert.equal(Buffer.from((await second.workspace.read("kept", { length: 9 })).bytes).toString(), "yes");
    await second.sandbox.stop();
    const other = await opened("again", { app: "other" });
    await assert.rejects(other.workspace.read("kept", { length: 9 }));
    await other.sandbox.stop();
  });

  it("takes over the sandbox that another worker left", async () => {
    const first = await opened("left", { app: "left" });
    const second = await opened("left", { app: "left" });
    assert.equal(running("left").length, 1);
    assert.equal((await second.workspace.exec({ command: "echo on" }, options)).output, "on\n");
    await second.sandbox.stop();
    await first.sandbox.stop();
  });

  it("goes on in one new sandbox where the old one has ended, with its files, and tells what ended with it", async () => {
    const { sandbox, workspace } = await opened("ended");
    await workspace.write("kept", Buffer.from("yes"));
    await workspace.run("V=1", options);
    fake.endAll();
    const all = await Promise.all([1, 2, 3].map((n) => workspace.exec({ command: `cat kept; echo ${n}` }, options)));
    assert.equal(all.map(({ output }) => output).join(""), "yes1\nyes2\nyes3\n");
    assert.equal((await workspace.run("echo $V.", options)).output, ".\n");
    assert.equal(running().length, 1);
    // And what runs when it ends is told of.
    const { output, end } = await workspace.exec(
      { command: "echo begun; sleep 37.5" },
      { ...options, onOutput: () => fake.endAll() },
    );
    assert.match(output, /^begun\n/);
    assert.equal(end.kind, "signal");
    await assert.rejects(workspace.exec({ command: `: ${"x".repeat(70_000)}` }, options), /at most 65000 characters/);
    await sandbox.stop();
  });

  it("takes nothing from the environment and the SDK's file, and leaves the environment as it was", async () => {
    const around = { MODAL_SERVER_URL: "http://127.0.0.1:1", MODAL_SANDBOX_V2: "0", MODAL_OAUTH_CLIENT_ID: "x" };
    Object.assign(process.env, around);
    try {
      // An address of its own, for a client that isn't known yet.
      const { sandbox } = await opened("around", { serverUrl: fake.url.replace("127.0.0.1", "localhost") });
      assert.deepEqual(
        Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("MODAL_"))),
        around,
      );
      await sandbox.stop();
    } finally {
      for (const name of Object.keys(around)) delete process.env[name];
    }
  });

  it("says what is wrong, without the token", async () => {
    const wrong = [
      [{ tokenSecret: "as-0000" }, /Modal did not give the app test: .*Token ID is malformed or unknown/],
      [{ folder: "relative" }, /absolute path/],
    ] as const;
    for (const [change, words] of wrong) {
      const { isUsable, reasons } = await createSandbox(config(change), deps).start();
      assert.equal(isUsable, false);
      assert.match(reasons.join(), words);
      assert.ok(!reasons.join().includes(fake.tokenSecret) && !reasons.join().includes("0000"));
    }
  });
});
