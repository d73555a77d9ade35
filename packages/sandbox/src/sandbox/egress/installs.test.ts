import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import type { NetworkUse, Workspace } from "@talaria/agent";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { options } from "../../conformance.ts";
import { skipWithoutPeers } from "../../missing-peers.fixture.ts";
import { createSandbox, type Sandbox } from "../../sandbox.ts";
import { type Registries, startRegistries } from "../../testing/registries.ts";

/** Where names lead in these tests. The registries listen on 127.0.0.1, which counts as public here, and nothing else does. */
const names: Readonly<Record<string, readonly string[]>> = {
  "packages.example.org": ["127.0.0.1"],
  "files.example.org": ["127.0.0.1"],
  "elsewhere.example.org": ["127.0.0.1"],
  "inside.example.org": ["10.1.2.3"],
  "metadata.example.org": ["169.254.169.254"],
  "both.example.org": ["127.0.0.1", "192.168.0.1"],
  "rebound.example.org": ["127.0.0.1"],
};

describe("installing over the network", { skip: skipWithoutPeers(process.env.CI) }, () => {
  let base: string;
  let sandbox: Sandbox;
  let workspace: Workspace;
  let registries: Registries;
  let packages: string;
  let files: string;
  let lookedUp: string[];

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-installs-"));
    await chmod(base, 0o711);
    registries = await startRegistries(base, { files: "files.example.org", elsewhere: "elsewhere.example.org" });
    const { port } = registries;
    [packages, files] = [`packages.example.org:${port}`, `files.example.org:${port}`];
    const resolve = async (name: string) => {
      lookedUp.push(name);
      // Whoever looked it up again would be led inside.
      const isAgain = name === "rebound.example.org" && lookedUp.filter((one) => one === name).length > 1;
      return (isAgain ? ["10.1.2.3"] : (names[name] ?? [])).map((address) => ({ address, family: 4 }));
    };
    const addresses = { resolve, permits: (address: string) => address === "127.0.0.1" };
    sandbox = createSandbox(
      { backend: "sandbox", folder: join(base, "w") },
      { clock: systemClock, log: silentLog, addresses },
    );
    assert.deepEqual((await sandbox.start()).reasons, []);
    workspace = await sandbox.open("a");
  });
  after(async () => {
    await sandbox?.stop();
    await registries?.close();
    await rm(base, { recursive: true, force: true });
  });
  beforeEach(() => {
    registries.asked.length = 0;
    lookedUp = [];
  });

  async function run(command: string, network: readonly string[] = []) {
    const result = await workspace.exec({ command, network }, { ...options, timeoutMs: 60_000 });
    return { output: result.output, use: result.network as NetworkUse, end: result.end };
  }
  const refused = ({ refused: all }: NetworkUse) => all.map(({ host, why }) => `${host} ${why}`);

  it("pip, npm and git say at once that they reach nothing, and the host is known by name", async () => {
    const tries = [
      "pip install --index-url http://$P/simple/ --trusted-host packages.example.org hello-talaria",
      "pip install --index-url https://$P/simple/ hello-talaria",
      `mkdir -p none && cd none && npm install --registry http://$P/npm/ hello-talaria`,
      "git clone http://$P/git/hello.git none-of-git",
      "git clone https://$P/git/hello.git none-of-git",
      "curl -sSf http://$P/",
      "curl -sS https://$P/",
      `/usr/bin/python3 -c 'import urllib.request,os; urllib.request.urlopen("https://" + os.environ["P"])'`,
      "wget -q http://$P/",
    ];
    for (const command of tries) {
      const { output, use, end } = await run(`(export P=${packages}; ${command}) 2>&1`);
      assert.notDeepEqual(end, { kind: "exit", code: 0 }, output);
      assert.notEqual(end.kind, "timeout", command);
      assert.deepEqual(refused(use), [`${packages} unnamed`], `${command}: ${output}`);
      assert.equal(use.hasReached, false);
    }
    assert.deepEqual([registries.asked, lookedUp], [[], []]);
  });

  it("pip installs into the workspace, from the hosts that it names", async () => {
    const pip = `pip install --index-url http://${packages}/simple/ --trusted-host packages.example.org --trusted-host files.example.org hello-talaria 2>&1`;
    const half = await run(pip, [packages]);
    assert.deepEqual(refused(half.use), [`${files} unnamed`], half.output);
    assert.equal(half.use.hasReached, true);
    const { output, use, end } = await run(pip, [packages, files]);
    assert.deepEqual([refused(use), use.hasReached, end], [[], true, { kind: "exit", code: 0 }], output);
    assert.equal((await run("/usr/bin/python3 -m hello_talaria")).output.trim(), "hello from pip");
    assert.match(
      (await run("/usr/bin/python3 -c 'import hello_talaria as h; print(h.__file__)'")).output,
      /\/workspace\//,
    );
  });

  it("npm installs into the workspace, where its cache is, too", async () => {
    const npm = `mkdir -p n && cd n && npm install --registry http://${packages}/npm/ hello-talaria 2>&1`;
    const { output, use, end } = await run(npm, [packages]);
    assert.deepEqual([refused(use), use.hasReached, end], [[], true, { kind: "exit", code: 0 }], output);
    assert.match(
      (await run("cd n && node -e 'require(\"hello-talaria\")'; ls -a ~")).output,
      /hello from npm[\s\S]*\.npm\n/,
    );
    const global = `npm install -g --registry http://${packages}/npm/ hello-talaria 2>&1; ls ~/.local/lib/node_modules`;
    assert.match((await run(global, [packages])).output, /hello-talaria\n$/);
  });

  it("git clones, and commits what has changed", async () => {
    const { output, use } = await run(`git clone -q http://${packages}/git/hello.git 2>&1; cat hello/README`, [
      packages,
    ]);
    assert.equal(output, "hello from git\n");
    assert.equal(use.hasReached, true);
    const commit = "cd hello && echo more >>README && git commit -qam more && git log -1 --format=%an";
    assert.notEqual((await run(commit)).output.trim(), "");
  });

  it("a redirect to a host that was not named is refused", async () => {
    const curl = `curl -sSL http://${packages}/away 2>&1`;
    const first = await run(curl, [packages]);
    assert.deepEqual(refused(first.use), [`elsewhere.example.org:${registries.port} unnamed`]);
    assert.doesNotMatch(first.output, /there$/);
    const both = await run(curl, [packages, `elsewhere.example.org:${registries.port}`]);
    assert.deepEqual([both.output, refused(both.use)], ["there", []]);
  });

  it("names that lead inside are refused, and each is looked up once for a connection", async () => {
    const { port } = registries;
    for (const host of ["inside", "metadata", "both"].map((name) => `${name}.example.org:${port}`)) {
      for (const scheme of ["http", "https"]) {
        const { use } = await run(`curl -sS ${scheme}://${host}/there 2>&1`, [host]);
        assert.deepEqual([refused(use), use.hasReached], [[`${host} private`], false]);
      }
    }
    assert.deepEqual(registries.asked, []);
    lookedUp = [];
    const again = await run(`curl -sS http://rebound.example.org:${port}/there`, [`rebound.example.org:${port}`]);
    assert.deepEqual([again.output, lookedUp], ["there", ["rebound.example.org"]]);
  });

  it("a host means its web ports alone, and addresses are never asked for", async () => {
    const odd = await run(`curl -sS http://${packages}/there`, ["packages.example.org"]);
    assert.deepEqual(refused(odd.use), [`${packages} unnamed`]);
    const forms = [
      "127.0.0.1",
      "127.1",
      "2130706433",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "localhost",
      "packages.example.org.",
    ];
    for (const form of forms) {
      const url = `http://${form}:${registries.port}/there`;
      const { use } = await run(`unset NO_PROXY no_proxy; curl -sS --globoff ${url}`, ["files.example.org"]);
      assert.deepEqual([use.hasReached, use.refused.length], [false, 1], form);
    }
    assert.deepEqual(registries.asked, []);
    for (const network of [["127.0.0.1"], ["localhost"], ["*.example.org"], ["10.0.0.1:80"], Array(17).fill("a.org")])
      await assert.rejects(run("true", network), (error) => isGatewayError(error, "invalid_request"));
  });

  it("a command's hosts are open to no other, and closed when it has ended", async () => {
    const waiting = await workspace.spawn({
      command: "timeout 30 bash -c 'until [ -e go ]; do sleep 0.05; done'; curl -sS http://$P/there; echo over >over",
      variables: { P: packages },
    });
    const { output } = await run(
      `curl -sS http://${packages}/there; touch go; timeout 30 bash -c 'until [ -e over ]; do sleep 0.05; done'`,
      [packages],
    );
    assert.equal(output, "there");
    await waiting.ended;
    assert.deepEqual(refused(waiting.network?.() as NetworkUse), [`${packages} unnamed`]);
    assert.deepEqual(refused((await run(`curl -sS http://${packages}/there`)).use), [`${packages} unnamed`]);
    assert.equal(registries.asked.length, 1);
  });

  it("a command with network begins with the folder and the variables of the shell", async () => {
    const shell = async (command: string, network: readonly string[] = []) =>
      (await workspace.run(command, { ...options, network })).output;
    await shell("mkdir -p deep && cd deep && export WORD=kept");
    const output = await shell(`echo $WORD $PWD; curl -sS http://${packages}/there`, [packages]);
    assert.equal(output, "kept /workspace/deep\nthere");
  });
});
