import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { parse } from "yaml";
import type { SandboxConfig, SandboxLimits } from "../../packages/sandbox/src/config.ts";
import { testConformance } from "../../packages/sandbox/src/conformance.ts";
import { canary } from "../../packages/sandbox/src/escapes/outside.ts";
import { testEscapes } from "../../packages/sandbox/src/escapes/suite.ts";
import { createSandbox } from "../../packages/sandbox/src/sandbox.ts";
import { type DockerPeer, missingDockerPeers, startDockerPeer } from "./docker-peer.ts";

const missing = missingDockerPeers();
const mayMount = spawnSync("unshare", ["--mount", "true"], { stdio: "ignore" }).status === 0;
const needs = missing.length > 0 && process.env.CI !== "true" ? `needs ${missing.join(", ")}` : false;
const skip = mayMount ? needs : "needs a machine where root may mount";

describe("commands in containers", { skip }, () => {
  let peer: DockerPeer;
  before(async () => {
    assert.deepEqual(missing, [], "a peer is missing");
    peer = await startDockerPeer();
  });
  after(() => peer?.[Symbol.asyncDispose]());
  const config = (name: string, limits: Partial<SandboxLimits>): SandboxConfig => ({
    backend: "docker",
    folder: join(peer.folder, name),
    socket: peer.socket,
    image: peer.image,
    limits,
  });

  testConformance({ name: "docker", config: (limits) => config("workspaces", limits) });
  process.env[canary.name] = canary.value;
  testEscapes({
    name: "docker",
    outside: () => ({ folder: join(peer.folder, "outside") }),
    config: (limits) => config("hostile", limits),
    // Its daemon decides on those of users and of control groups.
    namespaces: ["ipc", "mnt", "net", "pid", "uts"],
    lacks: ["nice", "perl", "bash", "sudo", "bwrap", "getent", "chrt", "ip", "setcap"],
  });

  it("lets bubblewrap make its namespaces in the worker of docker-compose.yml, and nowhere else", async () => {
    const root = join(import.meta.dirname, "..", "..");
    const { services } = parse(await readFile(join(root, "docker-compose.yml"), "utf8"), { merge: true });
    const inside = async (service: { security_opt: readonly string[]; cap_drop: readonly string[] }) => {
      const options = service.security_opt.map((each) => each.replace("seccomp=", `seccomp=${root}/`));
      const given = [
        ...options.map((each) => `--security-opt=${each}`),
        ...service.cap_drop.map((each) => `--cap-drop=${each}`),
      ];
      const folders = ["/usr", "/lib", "/lib64"].flatMap((each) => ["--volume", `${each}:${each}:ro`]);
      const view = "--ro-bind / / --proc /proc --dev /dev --hostname inner /bin/busybox hostname".split(" ");
      const run = ["run", "--rm", "--network=none", "--read-only", "--user=1000", ...given, ...folders, peer.image];
      return await peer.docker(...run, "/usr/bin/bwrap", "--unshare-all", ...view);
    };
    assert.equal(await inside(services.worker), "inner\n");
    await assert.rejects(inside(services.gateway), /No permissions to create new namespace/);
  });

  it("says what is wrong with Docker", async () => {
    const wrong: readonly (readonly [Partial<{ socket: string; image: string }>, RegExp])[] = [
      [{ socket: join(peer.folder, "none.sock") }, /does not answer/],
      [{ image: "no/such:image" }, /docker pull no\/such:image/],
    ];
    for (const [change, words] of wrong) {
      const sandbox = createSandbox({ ...config("wrong", {}), ...change } as SandboxConfig, {
        clock: systemClock,
        log: silentLog,
      });
      const { isUsable, reasons, remedy } = await sandbox.start();
      assert.equal(isUsable, false);
      assert.match(`${reasons.join()} ${JSON.stringify(remedy)}`, words);
    }
  });

  it("removes the containers that a killed worker left, and no living one's", async () => {
    const { folder } = config("lost", {}) as { folder: string };
    const kept = createSandbox(config("lost", {}), { clock: systemClock, log: silentLog });
    await kept.start();
    const workspace = await kept.open("a");
    const lost = `label=talaria.sandbox.owner=${join(folder, ".lost.sock")}`;
    const label = (await peer.docker("ps", "--format", '{{.Label "talaria.sandbox"}}')).split("\n")[0];
    const labels = ["--label", `talaria.sandbox=${label}`, "--label", lost.slice("label=".length)];
    await peer.docker("create", ...labels, peer.image, "/bin/sleep", "9");
    const isLost = async () => (await peer.docker("ps", "-aq", "--filter", lost)).trim() !== "";
    assert.equal(await isLost(), true);
    const next = createSandbox(config("lost", {}), { clock: systemClock, log: silentLog });
    assert.deepEqual((await next.start()).reasons, []);
    assert.equal(await isLost(), false);
    const { output } = await workspace.exec(
      { command: "echo alive" },
      { timeoutMs: 60_000, signal: new AbortController().signal, maxOutputChars: 100 },
    );
    assert.equal(output, "alive\n");
    await next.stop();
    await kept.stop();
  });
});
