import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Workspace } from "@talaria/agent";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { type SecretHost, startSecretHost, trustedLocalhost } from "@talaria/testkit";
import { options } from "../../conformance.ts";
import { skipWithoutPeers } from "../../missing-peers.fixture.ts";
import { createSandbox, type Sandbox } from "../../sandbox.ts";

const deps = { clock: systemClock, log: silentLog };
/** What no command may ever see. */
const value = "canary/+value=0123456789abcdef";

describe("secrets of commands in bubblewrap", { skip: skipWithoutPeers(process.env.CI) }, () => {
  let base: string;
  /** One that heeds proxies, where whoever runs commands may pass: ours may lie in a home. */
  let node: string;
  let sandbox: Sandbox;
  let workspace: Workspace;
  /** All hosts of these tests. */
  let network: readonly string[];
  /** The secret is for this one. The other may be reached too. */
  let host: SecretHost;
  let other: SecretHost;
  const plain = createServer((request, response) => response.end(JSON.stringify(request.headersDistinct)));
  /** The secret is for this one, too, which takes connections and says nothing. */
  const silent = createTcpServer((socket) => socket.on("error", () => undefined));
  let uploaded = 0;
  /** Blocks that the host has not sent yet, and how many that were when it was asked. */
  let left = 0;
  let leftThen = 0;

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-secrets-"));
    await chmod(base, 0o711);
    await mkdir(join(base, "node"));
    node = join(base, "node", "node");
    await copyFile(process.execPath, node);
    const identity = await trustedLocalhost(base);
    host = await startSecretHost(identity, ({ path, headers }, response, request) => {
      request.on("data", (bytes: Buffer) => {
        uploaded += bytes.length;
      });
      if (path.startsWith("/x.git") && headers.authorization === undefined)
        response.writeHead(401, { "www-authenticate": "Basic" }).end();
      else if (path === "/away") response.writeHead(302, { location: `https://localhost:${other.port}/x` }).end();
      else if (path === "/never") request.resume();
      else if (path === "/zipped")
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(JSON.stringify(headers)));
      else if (path.startsWith("/log")) {
        const before = path === "/log.gz" ? "" : randomBytes(1_000_000).toString("hex");
        response.end(gzipSync(`${before}${JSON.stringify(headers)}`));
      } else if (path === "/fine.gz") response.end(gzipSync("fine"));
      else if (path === "/jis") response.writeHead(200, { "content-type": "text/plain; charset=iso-2022-jp" }).end("x");
      else if (path === "/name")
        response.writeHead(200, { [`x-${Buffer.from(value).toString("hex")}`]: "1", "x-plain": "1" }).end("named");
      else if (path === "/odd") response.writeHead(200, { "content-encoding": "odd" }).end(JSON.stringify(headers));
      else if (path === "/pieces") {
        response.write(`a${value.slice(0, 9)}`);
        setImmediate(() => response.end(`${value.slice(9)}z`));
      } else if (path === "/then") {
        leftThen = left;
        response.end();
      } else if (path === "/much") {
        const block = Buffer.alloc(65_536, 120);
        left = 512;
        const more = () => {
          while (left > 0) {
            left -= 1;
            if (!response.write(block)) {
              response.once("drain", more);
              return;
            }
          }
          response.end();
        };
        more();
      } else
        request.on("end", () =>
          response.writeHead(200, `seen ${value}`, { "x-seen": value }).end(`${JSON.stringify(headers)} ${uploaded}`),
        );
    });
    other = await startSecretHost(identity, ({ headers }, response) => response.end(JSON.stringify(headers)));
    plain.listen(0, "127.0.0.1");
    silent.listen(0, "127.0.0.1");
    await Promise.all([once(plain, "listening"), once(silent, "listening")]);
    const ports = [host.port, other.port, ...[plain, silent].map((server) => (server.address() as AddressInfo).port)];
    network = ports.map((port) => `localhost:${port}`);
    const secret = { name: "github", value, header: "authorization", template: "Bearer {value}" };
    sandbox = createSandbox(
      {
        backend: "sandbox",
        folder: join(base, "w"),
        network: { allow: network },
        readable: [dirname(node)],
        secrets: [{ ...secret, hosts: [`localhost:${host.port}`, `localhost:${ports.at(-1)}`, "nowhere.test"] }],
      },
      deps,
    );
    assert.deepEqual((await sandbox.start()).reasons, []);
    workspace = await sandbox.open("a");
  });
  after(async () => {
    await sandbox?.stop();
    await Promise.all([host?.close(), other?.close()]);
    plain.close();
    silent.close();
    await rm(base, { recursive: true, force: true });
  });
  beforeEach(() => {
    host.asked.length = 0;
    other.asked.length = 0;
    uploaded = 0;
  });

  /** The hosts are called localhost here, which programs reach without a proxy unless they are told. */
  const run = async (command: string, secrets: readonly string[] = ["github"]) => {
    const text = `unset NO_PROXY no_proxy; H=$TALARIA_SECRET_GITHUB; B=https://localhost:${host.port}; ${command}`;
    const { output } = await workspace.exec({ command: text, secrets, network }, options);
    assert.ok(!output.includes(value), output);
    return output;
  };
  const sent = ({ asked }: SecretHost) => asked.map(({ headers }) => headers.authorization?.join(", "));
  const curl = (words: string) => run(`curl -sS --suppress-connect-headers ${words} 2>&1`);
  const basic = (login: string) => `Basic ${Buffer.from(login).toString("base64")}`;

  it("go into the header that they are for, at the host that they are for", async () => {
    await curl('-H "Authorization: Bearer $H" $B/');
    await curl('-H "Authorization: token $H" $B/');
    await curl('-u "me:$H" $B/');
    await curl('-u "$H:" $B/');
    await run(`git ls-remote "https://me:$H@localhost:${host.port}/x.git" 2>&1`);
    const script = `fetch("https://localhost:${host.port}/", { headers: { authorization: "Bearer " + process.env.TALARIA_SECRET_GITHUB } }).then((a) => a.text()).then(console.log)`;
    await run(`${node} -e '${script}' 2>&1`);
    const seen = sent(host).filter((text) => text !== undefined);
    assert.deepEqual(seen.slice(0, 4), [
      `Bearer ${value}`,
      `Bearer ${value}`,
      basic(`me:${value}`),
      basic(`${value}:`),
    ]);
    assert.ok(seen.slice(4).includes(basic(`me:${value}`)), "git");
    assert.equal(seen.at(-1), `Bearer ${value}`);
  });

  it("open their hosts to their command, and no others", async () => {
    const command =
      "unset NO_PROXY no_proxy; for port in $PORTS; do curl -sSk https://localhost:$port/ >/dev/null; done";
    const variables = { PORTS: `${host.port} ${other.port}` };
    const { network: use } = await workspace.exec({ command, variables, secrets: ["github"] }, options);
    assert.deepEqual([host.asked.length, other.asked.length], [1, 0]);
    assert.deepEqual(use, { hasReached: true, refused: [{ host: `localhost:${other.port}`, why: "unnamed" }] });
  });

  it("say of a host of theirs whose name leads nowhere that this is why", async () => {
    const command = 'curl -sS -H "Authorization: Bearer $TALARIA_SECRET_GITHUB" https://nowhere.test/';
    const { network: use } = await workspace.exec({ command, secrets: ["github"] }, options);
    assert.deepEqual(use, { hasReached: false, refused: [{ host: "nowhere.test", why: "nameless" }] });
  });

  it("go nowhere else, and the handle alone is what others get", async () => {
    const port = (plain.address() as AddressInfo).port;
    const elsewhere = [
      await curl(`-k -H "Authorization: Bearer $H" https://localhost:${other.port}/`),
      await curl(`-H "Authorization: Bearer $H" http://localhost:${port}/`),
      await curl(`-k -L --location-trusted -H "Authorization: Bearer $H" $B/away`),
    ];
    for (const text of elsewhere) assert.match(text, /secret-github-[0-9a-f]{36}/);
    assert.deepEqual(sent(host), [`Bearer ${value}`]);
    // In other headers, within other text, in the address, in the body.
    for (const words of [
      '-H "X-Key: $H"',
      '-A "$H"',
      '-H "Authorization: Bearer a $H b"',
      '-H "Authorization: Bearer x$H"',
      '-u "x$H:y"',
      '-d "$H"',
    ])
      await curl(`${words} "$B/?k=$H"`);
    assert.doesNotMatch(JSON.stringify(host.asked.slice(1)), /canary/);
    assert.doesNotMatch(JSON.stringify(host.asked.slice(1).map(({ headers }) => headers)), new RegExp(basic(value)));
    assert.equal(host.asked.length, 7);
  });

  it("are not led astray by another name, another host, or a second request", async () => {
    const tls = `openssl s_client -quiet -proxy 127.0.0.1:3128 -connect localhost:${host.port}`;
    const head = "Authorization: Bearer $H\\r\\n";
    const say = (lines: string, servername = "-servername localhost") =>
      run(`printf "${lines}" | timeout 20 ${tls} ${servername} 2>/dev/null`);
    const own = `localhost:${host.port}`;
    const whole = (line: string, names: string, more = "", body = "") =>
      `${line} HTTP/1.1\\r\\n${names}${head}${more}\\r\\n${body}`;
    const named = `Host: ${own}\\r\\n`;
    const bad: readonly string[] = [
      await say(whole("GET /front", "Host: other.example\\r\\n")),
      await say(whole("GET /twice", `${named}Host: other.example\\r\\n`)),
      await say(whole("GET https://other.example/absolute", named)),
      await say(whole("POST /both", named, "Transfer-Encoding: chunked\\r\\nContent-Length: 4\\r\\n", "0\\r\\n\\r\\n")),
      await say(whole("POST /lengths", named, "Content-Length: 4\\r\\nContent-Length: 5\\r\\n", "abcd")),
      await say(whole("POST /odd-te", named, "Transfer-Encoding: xchunked\\r\\n", "0\\r\\n\\r\\n")),
      await say(whole("GET /upgrade", named, "Connection: Upgrade\\r\\nUpgrade: websocket\\r\\n")),
      await say(whole("CONNECT other.example:443", named)),
    ];
    for (const [index, text] of bad.entries()) assert.match(text, /^HTTP\/1.1 (?:4\d\d|501) /, `${index}: ${text}`);
    assert.equal(await say(whole("GET /sni", named), "-servername other.example"), "");
    assert.equal(await say(whole("GET /no-sni", named), "-noservername"), "");
    assert.deepEqual(host.asked, []);
    const last = "Connection: close\\r\\n";
    const second = await say(`${whole("GET /1", named)}${whole("GET /2", "Host: other.example\\r\\n")}`);
    assert.match(second, /^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 421 /);
    assert.deepEqual(
      host.asked.map(({ path, host: name }) => [path, name]),
      [["/1", own]],
    );
    const both = await say(`${whole("GET /3", named)}${whole("GET /4", named, last)}`);
    assert.equal(both.split("HTTP/1.1 200 ").length, 3);
    assert.equal(sent(host).at(-1), `Bearer ${value}`);
    // A body whose length were dropped on the way would be another request.
    const hidden = "GET /hidden HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n";
    const length = `Content-Length: ${hidden.replaceAll("\\r\\n", "--").length}\\r\\n`;
    assert.match(
      await say(whole("GET /5", named, `Connection: close, content-length\\r\\n${length}`, hidden)),
      / 200 /,
    );
    assert.doesNotMatch(JSON.stringify(host.asked), /hidden/);
  });

  it("end with a workspace that is closed while their command begins", async () => {
    const closing = await sandbox.open("closing");
    const command = "until [ -e never ]; do sleep 0.05; done";
    const running = closing.exec({ command, secrets: ["github"] }, { ...options, timeoutMs: 20_000 });
    await sandbox.close("closing");
    await assert.rejects(running, /the workspace is closed/);
  });

  it("open no more connections than their command has, and leave none behind", { timeout: 120_000 }, async () => {
    const target = `localhost:${host.port}`;
    const asks = `for i in $(seq 300); do printf "GET /never HTTP/1.1\\r\\nHost: ${target}\\r\\n\\r\\n"; done`;
    const tls = `timeout 20 openssl s_client -quiet -proxy 127.0.0.1:3128 -connect ${target} -servername localhost`;
    await run(`${tls} < <(${asks}; sleep 60) 2>&1; true`);
    assert.ok(host.asked.length <= 1, `${host.asked.length} at a time`);
    const away = `https://localhost:${(silent.address() as AddressInfo).port}/`;
    const connected = once(silent, "connection");
    const running = run(`curl -sS -H "Authorization: Bearer $H" ${away} & until [ -e connected ]; do sleep 0.05; done`);
    const [socket] = await connected;
    await workspace.write("connected", new Uint8Array());
    await running;
    if (!socket.resume().destroyed) await once(socket, "close");
  });

  it("go on beside another process that has the same folder, and with the same filter", async () => {
    const folder = join(base, "w");
    const before = await stat(join(folder, ".seccomp-filter"));
    const secrets = [{ name: "own", value, header: "x-key", template: "{value}", hosts: ["localhost:9"] }];
    const own = createSandbox({ backend: "sandbox", folder, network: "none", secrets }, deps);
    assert.deepEqual((await own.start()).reasons, []);
    assert.match(await curl('-H "Authorization: Bearer $H" $B/'), /Bearer \*{30}/);
    const doors = async () => (await readdir(folder)).filter((name) => name.startsWith("doors-")).length;
    assert.equal(await doors(), 2);
    await own.stop();
    assert.equal(await doors(), 1);
    assert.match(await curl('-H "Authorization: Bearer $H" $B/'), /Bearer \*{30}/);
    // Whoever is reading it must not find it empty.
    assert.notEqual((await stat(join(folder, ".seccomp-filter"))).ino, before.ino);
  });

  it("don't come back, in headers, in bodies, in pieces or compressed", async () => {
    const echo = await curl('-i -H "Authorization: Bearer $H" $B/');
    assert.match(echo, /^HTTP\/1.1 200 seen \*{30}\r\n[\s\S]*x-seen: \*{30}\r\n[\s\S]*Bearer \*{30}/i);
    const login = await curl('-u "me:$H" $B/');
    assert.ok(!login.includes(basic(`me:${value}`).slice(6)) && login.includes("Basic ***"), login);
    assert.equal(await curl('-H "Authorization: Bearer $H" $B/pieces'), `a${"*".repeat(30)}z`);
    assert.match(await curl('-H "Authorization: Bearer $H" $B/zipped'), /Bearer \*{30}/);
    assert.match(await curl('-i -H "Authorization: Bearer $H" $B/odd'), /^HTTP\/1.1 502 /);
  });

  it("don't come back in a packed file, an odd charset, or the name of a header", async () => {
    const refused = await curl('-i -H "Authorization: Bearer $H" $B/log.gz');
    assert.match(refused, /^HTTP\/1.1 502 [\s\S]*talaria: the host's answer is a packed file that holds the secret\n$/);
    const cut = await run(
      'curl -sS -o log -H "Authorization: Bearer $H" $B/log-of-much.gz 2>&1; zcat log 2>&1 | tail -c 300',
    );
    assert.match(cut, /^curl: [\s\S]*unexpected end of file/);
    assert.equal(await run('curl -sS -H "Authorization: Bearer $H" $B/fine.gz | zcat'), "fine");
    assert.match(
      await curl('-i -H "Authorization: Bearer $H" $B/jis'),
      /^HTTP\/1.1 502 [\s\S]*in the charset iso-2022-jp/,
    );
    const named = await curl('-i -H "Authorization: Bearer $H" $B/name');
    assert.match(named, /^HTTP\/1.1 200 [\s\S]*x-plain: 1[\s\S]*named$/i);
    assert.ok(!named.includes(Buffer.from(value).toString("hex").slice(0, 20)), named);
  });

  it("let much through in both ways, as fast as it is read, in little memory", async () => {
    const up = await run('head -c 33554432 /dev/zero | curl -sS -T - -H "Authorization: Bearer $H" $B/ | tail -c 9');
    assert.match(up, /33554432$/);
    const down = await run('curl -sS -H "Authorization: Bearer $H" $B/much | (sleep 1; curl -sS $B/then; wc -c)');
    assert.equal(down.trim(), "33554432");
    assert.deepEqual(sent(host), [`Bearer ${value}`, `Bearer ${value}`, undefined]);
    assert.ok(leftThen > 0 && left === 0, `${leftThen}`);
  });

  it("are nowhere inside: no variable, no process, no file", async () => {
    const output = await run(
      'printf %s "$H" >handle; curl -sS -o answer -D heads -H "Authorization: Bearer $H" $B/; env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"; cat handle heads answer /etc/talaria-trust.pem; grep -ral "can"ary /workspace /tmp /etc /proc/self/environ; true',
    );
    assert.match(output, /TALARIA_SECRET_GITHUB=secret-github-[0-9a-f]{36}\n/);
    assert.ok(!/canary|PRIVATE KEY/.test(output), output.slice(0, 3_000));
    assert.ok(!output.includes(Buffer.from(value).toString("base64").slice(0, 20)));
    const all = await readdir(base, { recursive: true, withFileTypes: true });
    for (const file of all.filter((entry) => entry.isFile()))
      assert.ok(!(await readFile(join(file.parentPath, file.name), "latin1")).includes(value), file.name);
  });

  it("are for one command, and for as long as it runs", async () => {
    const first = await run("printf %s $H");
    const stale = await run(`curl -sS -H "Authorization: Bearer ${first}" $B/ 2>&1`);
    assert.match(stale, new RegExp(`Bearer ${first}`));
    assert.deepEqual(sent(host), [`Bearer ${first}`]);
    assert.notEqual(await run("printf %s $H"), first);
    // A command without secrets has no handle, and finds one in a file worth nothing: it doesn't even trust our certificate.
    assert.equal(await run("printf %s $H; env | grep -c talaria-trust", []), "0\n");
    assert.match(await run(`curl -sS -H "Authorization: Bearer ${first}" $B/ 2>&1`, []), /certificate/);
    assert.equal(host.asked.length, 1);
    const [doors = ""] = (await readdir(join(base, "w"))).filter((name) => name.startsWith("doors-"));
    // Beside the door of the session's other commands.
    assert.deepEqual((await readdir(join(base, "w", doors))).length, 2);
  });

  it("lend nothing to a process of another turn that runs on, at the same time", async () => {
    const beside = `https://localhost:${host.port}/beside`;
    const waiting = await workspace.spawn({
      network,
      command: `unset NO_PROXY no_proxy; until [ -s shared ]; do sleep 0.05; done; H=$(cat shared); curl -sSk -H "Authorization: Bearer $H" ${beside} 2>&1; (exec 3<>/dev/tcp/127.0.0.1/4445) 2>&1; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c TALARIA_SECRET; echo over >over`,
    });
    const output = await run(
      "printf %s $H >shared.new; mv shared.new shared; until [ -s over ]; do sleep 0.05; done; echo done",
    );
    assert.equal(output, "done\n");
    await waiting.ended;
    assert.match(waiting.output().text, /\n0\n$/);
    assert.ok(sent(host).every((text) => text === undefined || !text.includes("canary")));
    // What a command with secrets leaves behind ends with it.
    await run("(setsid sleep 3743 &) ; true");
    await assert.rejects(
      workspace.exec({ command: "true", secrets: ["other"] }, options),
      (error) => isGatewayError(error, "invalid_request") && !error.message.includes("canary"),
    );
  });
});
