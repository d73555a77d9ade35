import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadConfig } from "@talaria/config";
import { type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { createWorkspaces } from "../../apps/worker/src/workspaces.ts";
import type { SandboxConfig } from "../../packages/sandbox/src/config.ts";
import { options, testConformance } from "../../packages/sandbox/src/conformance.ts";
import { createSandbox } from "../../packages/sandbox/src/sandbox.ts";
import { missingSshPeers, type SshPeer, startSshPeer } from "./ssh-peer.ts";

const missing = missingSshPeers();
const skip = missing.length > 0 && process.env.CI !== "true" ? `needs ${missing.join(", ")}` : false;

describe("commands on another machine", { skip }, () => {
  let peer: SshPeer;
  before(async () => {
    assert.deepEqual(missing, [], "a peer is missing");
    peer = await startSshPeer();
  });
  after(() => peer?.[Symbol.asyncDispose]());
  const config = (
    change: Partial<{ hostKey: string; key: string; port: number; folder: string }> = {},
  ): SandboxConfig => ({
    backend: "ssh",
    host: "127.0.0.1",
    port: peer.port,
    user: peer.user,
    key: peer.key,
    hostKey: peer.hostKey,
    folder: join(peer.folder, "workspaces"),
    ...change,
  });
  const deps = { clock: systemClock, log: silentLog };

  testConformance({ name: "ssh", config: (limits) => ({ ...config(), limits }) });

  it("runs what an operator's configuration names, with the key in a file", async () => {
    await chmod(join(peer.folder, "client"), 0o600);
    const settings = `host: 127.0.0.1, port: ${peer.port}, user: ${peer.user}, key: { file: client }, hostKey: "${peer.fingerprint}"`;
    const text = `sandbox: { backend: ssh, folder: ${peer.folder}/configured, ssh: { ${settings} } }\n`;
    const { sandbox } = loadConfig(text, { file: join(peer.folder, "talaria.yaml"), env: {} }).config;
    const workspaces = createWorkspaces({ ...deps, config: sandbox, folder: "/none", hidden: [] });
    assert.equal(await workspaces.usable(), true, workspaces.state?.reasons.join());
    const workspace = await workspaces.open("web:1" as SessionKey);
    assert.equal((await workspace.run("echo $((20 + 3))", options)).output, "23\n");
    assert.ok(workspace.folder.startsWith(join(peer.folder, "configured")));
    await workspaces.stop();
  });

  it("says what is wrong with the other machine", async () => {
    const wrong = [
      [{ hostKey: peer.hostKey.replace(/AAAA\S{10}/, (start) => [...start].reverse().join("")) }, /another host key/],
      [
        { hostKey: `SHA256:${"x".repeat(43)}` },
        new RegExp(`another host key .*${peer.fingerprint.replace(/[+]/g, "\\$&")}`),
      ],
      [{ hostKey: "nonsense" }, /known_hosts/],
      [{ key: peer.otherKey }, /refused the key/],
      [{ key: "no key" }, /private key for ssh can't be read/],
      [{ port: 1 }, /could not be reached/],
      [{ folder: "relative" }, /absolute path/],
    ] as const;
    for (const [change, words] of wrong) {
      const { isUsable, reasons } = await createSandbox(config(change), deps).start();
      assert.equal(isUsable, false);
      assert.match(reasons.join(), words);
    }
  });

  it("has room for more programs than one connection has sessions", async () => {
    const sandbox = createSandbox({ ...config(), limits: { background: 20 } }, deps);
    await sandbox.start();
    const workspace = await sandbox.open("many");
    const all = await Promise.all(Array.from({ length: 15 }, () => workspace.spawn({ command: "sleep 36.5" })));
    assert.equal((await workspace.run("echo here", options)).output, "here\n");
    await Promise.all(all.map((process) => process.kill()));
    await sandbox.stop();
  });

  it("tells of a lost connection, and connects again", async () => {
    const sandbox = createSandbox(config(), deps);
    await sandbox.start();
    const workspace = await sandbox.open("lost");
    await workspace.run("V=1", options);
    const running = workspace.exec(
      { command: "echo begun; sleep 3" },
      { ...options, onOutput: () => void peer.dropConnections() },
    );
    const { output, end } = await running;
    assert.match(output, /^begun\n\n\[the connection to 127\.0\.0\.1 was lost\]\n$/);
    assert.deepEqual(end, { kind: "signal", signal: "SIGHUP" });
    const { output: after, isNewShell } = await workspace.run("echo $V.", options);
    assert.deepEqual({ after, isNewShell }, { after: ".\n", isNewShell: true });
    await sandbox.stop();
  });
});
