import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { brandAs, type ProcessId } from "@talaria/protocol";
import { createTestStore } from "../../../../packages/store/src/test-store.ts";
import { freePort } from "../../../../tests/support/free-port.ts";
import { runTalaria } from "../../../../tests/support/run-talaria.ts";
import { commandFile } from "../shell/working-words.ts";

interface Checked {
  readonly check: string;
  readonly state: string;
  readonly line: string;
  readonly remedy?: string;
}

describe("talaria doctor where nothing runs", () => {
  let bin: string;
  let home: string;

  before(async () => {
    bin = await mkdtemp(join(tmpdir(), "talaria-bin-"));
    await symlink(commandFile, join(bin, "talaria"));
  });
  after(() => rm(bin, { recursive: true }));
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "talaria-doctor-"));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function run(config: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    await writeFile(join(home, "config.yaml"), `sandbox: { backend: "off" }\n${config}`, { mode: 0o600 });
    // Whatever `--fix` does, it finds a command in PATH and makes no link.
    const PATH = `${bin}:${process.env.PATH}`;
    return await runTalaria(["doctor", "--home", home, ...words], { PATH, ...env });
  }

  async function checks(
    config: string,
    words: readonly string[] = ["--offline"],
    env: Readonly<Record<string, string>> = {},
  ) {
    const { code, stdout, stderr } = await run(config, ["--json", ...words], env);
    assert.equal(stderr, "");
    const { checks } = JSON.parse(stdout) as { checks: readonly Checked[] };
    return { code, of: (name: string) => checks.filter(({ check }) => check === name), checks };
  }

  it("has one line for each check, and ends with 0 where nothing is wrong", async () => {
    const { code, stdout } = await run(`gateway: { port: ${await freePort()} }\n`, ["--offline"]);
    assert.equal(code, 0, stdout);
    const lines = stdout.trimEnd().split("\n");
    const names = lines.map((line) => /^(?:ok|warning) +(\w+) {2,}\S/.exec(line)?.[1]);
    for (const name of [
      "configuration",
      "running",
      "workplace",
      "queue",
      "ports",
      "disk",
      "files",
      "command",
      "runtime",
    ])
      assert.equal(names.filter((one) => one === name).length, 1, `${name}\n${stdout}`);
  });

  it("says every fault of the configuration, and still looks at what needs none", async () => {
    const { code, of } = await checks("gateway: { prot: 1 }\nworkers: { turns: x }\n");
    assert.equal(code, 1);
    const faults = of("configuration").map(({ state, line }) => `${state} ${line}`);
    assert.equal(faults.length, 2);
    assert.match(faults[0] ?? "", /^problem .*config\.yaml:2:\d+ gateway\.prot: .*did you mean "port"/);
    assert.equal(of("files").length, 1);
    assert.equal(of("model").length, 0);
  });

  it("finds secrets that are open to others, and closes them with --fix alone", async () => {
    const port = await freePort();
    const key = join(home, "keys", "model");
    const config = `gateway: { port: ${port} }\nmodels: { main: { provider: anthropic, model: m, price: { input: 1, output: 1 }, apiKey: { file: ${key} } } }\n`;
    const token = join(home, "token");
    await mkdir(join(home, "keys"));
    for (const file of [key, token]) await writeFile(file, "a secret of no use\n");
    await chmod(key, 0o640);
    await chmod(token, 0o644);
    await chmod(home, 0o755);
    const found = await checks(config);
    assert.equal(found.code, 1);
    assert.deepEqual(
      found.of("files").map(({ state, remedy }) => [state, remedy]),
      [
        ["problem", `chmod 700 ${home}`],
        ["problem", `chmod 600 ${token}`],
        ["problem", `chmod 600 ${key}`],
      ],
    );
    assert.match(found.of("configuration")[0]?.line ?? "", /models\.main\.apiKey: .* open to other users/);
    assert.equal((await stat(token)).mode & 0o777, 0o644);

    const mended = await checks(config, ["--offline", "--fix"]);
    assert.deepEqual(
      [mended.code, mended.of("files").map(({ state }) => state)],
      [0, ["mended", "mended", "mended", "ok"]],
    );
    assert.equal(mended.of("configuration")[0]?.state, "ok", "what is mended is looked at again");
    const modes = await Promise.all([home, token, key].map(async (path) => (await stat(path)).mode & 0o777));
    assert.deepEqual(modes, [0o700, 0o600, 0o600]);
  });

  it("says who keeps the gateway from its port, and that an address is another program's", async () => {
    const other = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    try {
      const [found] = (await checks(`gateway: { port: ${port} }\n`)).of("ports");
      assert.equal(found?.state, "problem");
      assert.match(found?.line ?? "", /^port \d+ on 127\.0\.0\.1 is taken by another program/);
    } finally {
      other.close();
    }
  });

  it("says that a model refuses its key, and how many seconds the clock of its server is off", async () => {
    const server = createServer((_, response) => {
      const date = new Date(Date.now() - 3_600_000).toUTCString();
      response.writeHead(401, { date, "content-type": "application/json" }).end('{"error":{"message":"bad key"}}');
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const config = `gateway: { port: ${await freePort()} }\nmodels: { main: { provider: openai-chat, model: m, baseUrl: "http://127.0.0.1:${port}/v1", apiKey: no-such-key-at-all, price: { input: 1, output: 1 } } }\n`;
    try {
      const { code, of } = await checks(config, []);
      assert.equal(code, 1);
      const [model] = of("model");
      assert.deepEqual([model?.state, model?.remedy], ["problem", "talaria setup model --name main"]);
      const [clock] = of("clock");
      assert.equal(clock?.state, "problem");
      assert.match(clock?.line ?? "", /^this machine's clock is 3[56]\d\d s ahead of that of the model's server$/);
      assert.equal((await checks(config)).of("model").length, 0, "nothing is asked with --offline");
    } finally {
      server.close();
    }
  });

  it("looks at a database of one's own: server, clock, gateways of another release, processes that are gone", async () => {
    await using test = await createTestStore();
    const gateway = brandAs<ProcessId>("gateway-other");
    await test.store.processes.register({ id: gateway, kind: "gateway", host: "elsewhere", pid: 1 }, 600_000);
    await test.store.processes.renew(gateway, 600_000, { release: "0.0.1" });
    const { of } = await checks(`gateway: { port: ${await freePort()} }\n`, ["--offline"], { DATABASE_URL: test.url });
    assert.match(
      of("database")[0]?.line ?? "",
      /^PostgreSQL \d+\.\d+ answers, its tables are of this release; \d+ MiB$/,
    );
    assert.match(of("clock")[0]?.line ?? "", /^agrees with the database to a second$/);
    assert.match(of("release")[0]?.line ?? "", /^the gateway on elsewhere is of release 0\.0\.1, this is \d/);
    assert.match(of("running")[0]?.line ?? "", /^no worker is running: /);
  });
});
