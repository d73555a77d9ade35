import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Workspace } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import { options } from "../conformance.ts";
import { skipWithoutPeers } from "../missing-peers.fixture.ts";
import { createSandbox, type Sandbox } from "../sandbox.ts";

describe("the network of bubblewrap", { skip: skipWithoutPeers(process.env.CI) }, () => {
  let base: string;
  let sandbox: Sandbox;
  let workspace: Workspace;
  let port: number;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}`);
    const status = Number(/\/(\d+)$/.exec(request.url ?? "")?.[1] ?? 200);
    response.writeHead(status).end("from outside");
  });

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-network-"));
    await chmod(base, 0o711);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    const network = { allow: [`localhost:${port}`, "localhost:1", "nowhere.test", hostname()] };
    sandbox = createSandbox({ backend: "sandbox", folder: base, network }, { clock: systemClock, log: silentLog });
    assert.deepEqual((await sandbox.start()).reasons, []);
    workspace = await sandbox.open("a");
  });
  after(async () => {
    await sandbox?.stop();
    server.close();
    await rm(base, { recursive: true, force: true });
  });

  /** Speaks to the proxy as any program does that heeds HTTP_PROXY. */
  async function get(url: string, network = [`localhost:${port}`]): Promise<string> {
    return (await ask(url, network)).output;
  }

  async function ask(url: string, network: readonly string[]) {
    return await workspace.exec(
      {
        network,
        command: `exec 3<>/dev/tcp/127.0.0.1/3128
          printf 'GET %s HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' '${url}' >&3
          timeout 10 cat <&3`,
      },
      options,
    );
  }

  it("leads to an allowed host, through the proxy", async () => {
    assert.match(await get(`http://localhost:${port}/`), /^HTTP\/1.1 200 [\s\S]*from outside/);
    assert.equal(asked.length, 1);
  });

  it("says of plain http what the proxy has kept it from, and tells that from what a host says itself", async () => {
    const refused = async (host: string, path = "") => (await ask(`http://${host}/${path}`, [host])).network;
    assert.deepEqual(await refused("nowhere.test"), {
      hasReached: false,
      refused: [{ host: "nowhere.test", why: "nameless" }],
    });
    assert.deepEqual(await refused("localhost:1"), {
      hasReached: false,
      refused: [{ host: "localhost:1", why: "away" }],
    });
    // Most machines know their own name, which leads to themselves.
    const why = await lookup(hostname()).then(
      () => "private",
      () => "nameless",
    );
    assert.deepEqual(await refused(hostname()), { hasReached: false, refused: [{ host: hostname(), why }] });
    const before = asked.length;
    for (const status of ["200", "403", "502"])
      assert.deepEqual(await refused(`localhost:${port}`, status), { hasReached: true, refused: [] }, status);
    assert.equal(asked.length, before + 3);
  });

  it("leads nowhere else", async () => {
    const before = asked.length;
    const others = [
      `http://127.0.0.1:${port}/`,
      "http://169.254.169.254/",
      "http://example.com/",
      "http://localhost:1/",
      ...["http://2852039166/", "http://0xA9FEA9FE/", "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/"],
      ...["127.1", "0", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "2130706433"].map(
        (host) => `http://${host}:${port}/`,
      ),
      `http://localhost:${port}@127.0.0.1:${port}/`,
      `http://localhost.example.com:${port}/`,
      `http://xlocalhost:${port}/`,
    ];
    for (const url of others) assert.match(await get(url), /^HTTP\/1.1 4\d\d /, url);
    assert.match(await get(`http://localhost:${port}/`, []), /^HTTP\/1.1 403 /);
    assert.equal(asked.length, before);
    const { end } = await workspace.exec({ command: `timeout 3 bash -c '</dev/tcp/127.0.0.1/${port}'` }, options);
    assert.notDeepEqual(end, { kind: "exit", code: 0 });
    assert.equal(asked.length, before);
  });

  it("is shared by the commands of a session, and by nobody else", async () => {
    const answers = await workspace.spawn({
      command: ["/usr/bin/perl", "-e", perlServer],
    });
    const ask = {
      command:
        "for i in $(seq 50); do timeout 3 bash -c 'cat </dev/tcp/127.0.0.1/4444' 2>/dev/null && exit; sleep 0.1; done",
    };
    assert.equal((await workspace.exec(ask, options)).output, "hello");
    assert.equal((await workspace.run(ask.command.replace("exit", "break"), options)).output, "hello");
    const other = await sandbox.open("b");
    const { output } = await other.exec({ command: "timeout 3 bash -c 'cat </dev/tcp/127.0.0.1/4444' 2>&1" }, options);
    assert.match(output, /refused/);
    await answers.kill();
  });
});

const perlServer = `use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
bind($s, sockaddr_in(4444, INADDR_LOOPBACK)) or die; listen($s, 5);
while (accept(my $c, $s)) { print $c "hello"; close $c; }`;
