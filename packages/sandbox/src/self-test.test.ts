import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import type { Workspace } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import type { SandboxConfig } from "./config.ts";
import { skipWithoutPeers } from "./missing-peers.fixture.ts";
import { createSandbox } from "./sandbox.ts";
import { hostedProbes, probes, runProbes } from "./self-test.ts";

const deps = { clock: systemClock, log: silentLog };
const base = await mkdtemp(join(tmpdir(), "talaria-self-test-"));
await chmod(base, 0o711);
after(() => rm(base, { recursive: true, force: true }));

it("notices what gets through", async () => {
  const sandbox = createSandbox({ backend: "local", unsafe: true, folder: base }, deps);
  await sandbox.start();
  const [secret, folder] = [join(base, "secret"), join(base, "open")];
  await writeFile(secret, "x");
  await mkdir(folder);
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const listeningPort = typeof address === "object" && address !== null ? address.port : 0;
  process.env.SELF_TEST_VARIABLE = "x";
  const list = probes({ secretFiles: [secret], outsideFolders: [folder], listeningPort, variable: "HOME" });
  // Those that are sure to succeed without a boundary, and do no harm.
  const harmless = list.filter(({ attempt }) => /secret|open|variable|machine/.test(attempt));
  const found = await runProbes(await sandbox.open("a"), harmless);
  assert.deepEqual(
    found,
    harmless.map(({ attempt }) => `a command could ${attempt}`),
  );
  server.close();
  await sandbox.stop();
});

it("notices a network on somebody else's machine that was asked for none", {
  skip: skipWithoutPeers(process.env.CI) || (existsSync("/usr/sbin/ip") ? false : "needs iproute2"),
}, async () => {
  const sandbox = createSandbox({ backend: "local", unsafe: true, folder: base }, deps);
  await sandbox.start();
  const workspace = await sandbox.open("hosted");
  /** As root of a network of its own, in which these addresses answer. */
  const within = (addresses: readonly string[]): Workspace => {
    const answering = addresses.flatMap((address) => [
      `ip addr add ${address}/32 dev lo; for port in 80 443; do socat TCP-LISTEN:$port,bind=${address},fork /dev/null & done`,
      `until bash -c '</dev/tcp/${address}/443' 2>/dev/null; do sleep 0.1; done`,
    ]);
    const world = [
      "PATH=$PATH:/usr/sbin:/sbin",
      "ip link set lo up",
      ...answering,
      'sh -c "$0"',
      "for job in $(jobs -p); do kill $job; done",
    ];
    return {
      ...workspace,
      exec: ({ command }, options) =>
        workspace.exec(
          { command: ["unshare", "--user", "--map-root-user", "--net", "bash", "-c", world.join("\n"), `${command}`] },
          options,
        ),
    };
  };
  assert.deepEqual(await runProbes(within([]), hostedProbes), []);
  assert.deepEqual(await runProbes(within(["1.1.1.1"]), hostedProbes), ["a command could reach the internet"]);
  assert.deepEqual(await runProbes(within(["169.254.169.254"]), hostedProbes), [
    "a command could reach 169.254.169.254",
  ]);
  await sandbox.stop();
});

it("turns a backend off that lets something through, and says what", {
  skip: skipWithoutPeers(process.env.CI),
}, async () => {
  const config: SandboxConfig = { backend: "sandbox", folder: join(base, "w"), readable: [base] };
  await writeFile(join(base, "token"), "x", { mode: 0o644 });
  const sandbox = createSandbox(config, { ...deps, secretFiles: [join(base, "token")] });
  const { isUsable, reasons } = await sandbox.start();
  assert.equal(isUsable, false);
  assert.deepEqual(reasons, [`a command could read ${join(base, "token")}`]);
  await assert.rejects(sandbox.open("a"), /the sandbox is off: a command could read/);
  const hidden = createSandbox({ ...config, hidden: [base] }, { ...deps, secretFiles: [join(base, "token")] });
  assert.deepEqual((await hidden.start()).reasons, []);
  await hidden.stop();
});

it("tests the boundary of workers that begin at the same moment with one folder", {
  skip: skipWithoutPeers(process.env.CI),
}, async () => {
  for (let round = 0; round < 3; round += 1) {
    const folder = join(base, `together ${round}`);
    const workers = [1, 2, 3].map(() => createSandbox({ backend: "sandbox", folder }, deps));
    const tests = await Promise.all(workers.map((sandbox) => sandbox.start()));
    assert.deepEqual(
      tests.flatMap(({ reasons }) => reasons),
      [],
    );
    await Promise.all(workers.map((sandbox) => sandbox.stop()));
  }
});

it("says why a backend can't be used", { skip: skipWithoutPeers(process.env.CI) }, async () => {
  const closed = join(base, "closed");
  await mkdir(closed, { mode: 0o700 });
  const sandbox = createSandbox({ backend: "sandbox", folder: join(closed, "w") }, deps);
  const { reasons } = await sandbox.start();
  if (process.getuid?.() === 0) assert.match(reasons.join(), /can't pass .*closed.* chmod o\+x/);
  else assert.deepEqual(reasons, []);
  await sandbox.stop();
  const file = createSandbox({ backend: "sandbox", folder: join(base, "token", "w") }, deps);
  assert.match((await file.start()).reasons.join(), /ENOTDIR/);
});
