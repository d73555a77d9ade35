import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadConfig } from "@talaria/config";
import { type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { createWorkspaces } from "../../apps/worker/src/workspaces.ts";
import type { SandboxConfig } from "../../packages/sandbox/src/config.ts";
import { options, testConformance } from "../../packages/sandbox/src/conformance.ts";
import { canary } from "../../packages/sandbox/src/escapes/outside.ts";
import { testEscapes } from "../../packages/sandbox/src/escapes/suite.ts";
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
    const settings = `host: 127.0.0.1, port: ${peer.port}, user: ${peer.user}, key: { file: client }, hostKey: "${peer.fingerprint}"`;
    const text = `sandbox: { backend: ssh, folder: ${peer.folder}/configured, ssh: { ${settings} } }\n`;
    const { sandbox } = loadConfig(text, { file: join(peer.keyFolder, "talaria.yaml"), env: {} }).config;
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

const isRoot = process.getuid?.() === 0;
const mayMount = isRoot && spawnSync("unshare", ["--mount", "true"], { stdio: "ignore" }).status === 0;

describe("an account without rights, on this very machine", {
  skip: mayMount ? skip : "needs a machine where root may mount",
}, () => {
  let peer: SshPeer;
  before(async () => {
    peer = await startSshPeer({ hasOwnAccount: true });
  });
  after(() => peer?.[Symbol.asyncDispose]());

  process.env[canary.name] = canary.value;
  const network = "the other machine has a network of its own";
  const account = "the account is the boundary, for all conversations";
  const machine = "what the other machine's kernel lets every account do";
  testEscapes({
    name: "ssh",
    outside: () => ({ folder: join(peer.keyFolder, "outside"), isPrivate: true }),
    config: (limits) => ({
      ...{ backend: "ssh", host: "127.0.0.1", port: peer.port, user: peer.user, key: peer.key, limits },
      ...{ hostKey: peer.fingerprint, folder: join(peer.folder, "workspaces") },
    }),
    namespaces: [],
    lacks: ["sudo", "nslookup", "busybox", "setcap", "bwrap", "ip", "hostname"],
    exempt: {
      ...{ sockets: network, metadata: network, dns: network },
      "list all workspaces": account,
      "read another session's file": account,
      "write in another session's folder": account,
      "find it anywhere": "it would search everything that every account of this machine may read",
      "list people's homes": machine,
      "write in /var": machine,
      "see a process outside": machine,
      "open a handle to it": machine,
      "gain privileges by a program": machine,
      "make a user namespace": machine,
      "make a user namespace by clone": machine,
      "make one by the newer clone": machine,
      "bwrap in it": machine,
      "reach the firmware": machine,
      "read the kernel's log": machine,
      "use io_uring": machine,
      "use keys of the kernel": machine,
      "handle page faults": machine,
      "watch the processor": machine,
      "by any right, as the machine sees its processes": machine,
      "by hiding from its killer": "what clears its environment is not found again",
      "with more memory in many processes": "each process has its limit there, and nobody adds them up",
      "with a file that is too large, or many": "the quota counts there when the tools write",
    },
  });
});
