import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { Client } from "pg";
import { query } from "./database.ts";
import { isRunning, serverProcesses } from "./process-info.ts";
import { stopServer } from "./server.ts";
import { type EmbeddedPostgresOptions, startEmbeddedPostgres, startVariation } from "./start.ts";
import { isRoot, testFolder } from "./test-folder.ts";

const methods = isRoot ? (["namespace", "copy"] as const) : ([undefined] as const);

for (const asRoot of methods) {
  describe(`embedded PostgreSQL, ${asRoot === undefined ? "not root" : `root by ${asRoot}`}`, () => {
    it("starts, stops clean and starts again at the same address with the data", async (test) => {
      const options = { ...(await testFolder(test)), ...(asRoot === undefined ? {} : { asRoot }) };
      const first = await startEmbeddedPostgres(options);
      assert.equal(first.adopted, false);
      assert.match(first.url, /^postgres:\/\/talaria:[\w-]{32}@localhost:5432\/talaria\?host=%2F.*%2Fdata%2Fcluster$/);
      await query(first.url, "create table note (text text)");
      await query(first.url, "insert into note values ('kept')");
      await first.stop();
      await first.stop();
      assert.deepEqual(await serverProcesses(join(options.dataDir, "cluster")), []);

      const second = await startEmbeddedPostgres(options);
      assert.deepEqual(await query(second.url, "select text from note"), [{ text: "kept" }]);
      assert.equal(second.url, first.url);
      assert.notEqual(second.pid, first.pid);
      await second.stop();
    });

    it("comes back with every committed row after kill -9 while clients are connected", async (test) => {
      const options = { ...(await testFolder(test)), ...(asRoot === undefined ? {} : { asRoot }) };
      const first = await startEmbeddedPostgres(options);
      const clients = await connect(first.url, 5);
      await clients[0]?.query("create table note (n int)");
      for (let n = 0; n < 20; n += 1) await clients[n % 5]?.query("insert into note values ($1)", [n]);
      process.kill(first.pid, "SIGKILL");

      const second = await startEmbeddedPostgres(options);
      assert.equal(second.adopted, false);
      assert.equal(second.url, first.url);
      assert.deepEqual(await query(second.url, "select count(*)::int as n from note"), [{ n: 20 }]);
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await second.stop();
    });
  });
}

describe("embedded PostgreSQL", () => {
  it("moves between both ways of running as root", { skip: isRoot ? false : "needs root" }, async (test) => {
    const options = await testFolder(test);
    for (const asRoot of ["namespace", "copy", "namespace"] as const) {
      const server = await startEmbeddedPostgres({ ...options, asRoot });
      const owner = (await stat(join(options.dataDir, "cluster", "base"))).uid;
      assert.equal(owner, asRoot === "copy" ? 65_534 : 0);
      await server.stop();
    }
  });

  it("goes on when its starter is killed, and the next start adopts it", async (test) => {
    const options = await testFolder(test);
    const starter = startInChild(options);
    const started = await starter.result;
    starter.child.kill("SIGKILL");
    await once(starter.child, "exit");
    const server = await startEmbeddedPostgres(options);
    assert.deepEqual({ pid: server.pid, adopted: server.adopted }, { pid: started.pid, adopted: true });
    assert.equal(server.url, started.url);
    await server.stop();
    assert.equal(await isRunning(server.pid), false);
  });

  it("is started once by four processes that start it at the same time", async (test) => {
    const options = await testFolder(test);
    const starters = [1, 2, 3, 4].map(() => startInChild(options));
    const results = await Promise.all(starters.map((each) => each.result));
    for (const { child } of starters) child.kill("SIGKILL");
    assert.equal(new Set(results.map((each) => each.pid)).size, 1);
    assert.equal(results.filter((each) => !each.adopted).length, 1);
    await stopServer(results[0]?.pid ?? 0);
  });

  it("waits for the processes that outlive a killed server, so that two never share the data", async (test) => {
    const options = await testFolder(test);
    const first = await startEmbeddedPostgres(options);
    const [client] = await connect(first.url, 1);
    const backend = (await client?.query("select pg_backend_pid() as pid"))?.rows[0].pid;
    process.kill(backend, "SIGSTOP");
    process.kill(first.pid, "SIGKILL");
    const lines: string[] = [];
    const log = (line: string) => {
      lines.push(line);
      process.kill(backend, "SIGCONT");
    };
    const second = await startEmbeddedPostgres({ ...options, log });
    assert.deepEqual(lines, ["waiting until the processes of the last database server have ended"]);
    assert.equal(await isRunning(backend), false);
    await second.stop();
    await client?.end().catch(() => undefined);
  });

  it("starts when the process id in the old pid file belongs to another program", async (test) => {
    const options = await testFolder(test);
    const first = await startEmbeddedPostgres(options);
    const pidFile = join(options.dataDir, "cluster", "postmaster.pid");
    const text = await readFile(pidFile, "utf8");
    await first.stop();
    const other = spawn("sleep", ["60"]);
    await writeFile(pidFile, text.replace(String(first.pid), String(other.pid)));
    await writeFile(join(options.dataDir, "cluster", ".s.PGSQL.5432.lock"), `${other.pid}\n`);
    const second = await startEmbeddedPostgres(options);
    assert.equal(second.adopted, false);
    await second.stop();
    other.kill();
  });

  it("listens on loopback below the ephemeral ports where the path is too long for a socket", async (test) => {
    const folder = await testFolder(test);
    const options = { ...folder, dataDir: join(folder.dataDir, "a".repeat(60)) };
    const server = await startEmbeddedPostgres(options);
    assert.ok(Buffer.byteLength(join(options.dataDir, "cluster", ".s.PGSQL.5432")) > 107);
    assert.equal(new URL(server.url).hostname, "127.0.0.1");
    assert.ok(Number(new URL(server.url).port) < 32_768);
    assert.deepEqual(await query(server.url, "select 1 as one"), [{ one: 1 }]);
    const again = await startEmbeddedPostgres(options);
    assert.deepEqual({ url: again.url, adopted: again.adopted }, { url: server.url, adopted: true });
    await server.stop();
  });

  it("listens on loopback where the folder can hold no socket", async (test) => {
    const options = await testFolder(test);
    await (await startEmbeddedPostgres(options)).stop();
    // Where the server's socket would be is something that it can't replace.
    await mkdir(join(options.dataDir, "cluster", ".s.PGSQL.5432"));
    const server = await startEmbeddedPostgres(options);
    assert.equal(new URL(server.url).hostname, "127.0.0.1");
    await server.stop();
  });

  it("takes another port when its last one is taken", async (test) => {
    const options = await testFolder(test);
    const tcp = { listen: "tcp" } as const;
    const first = await startVariation(options, tcp);
    await first.stop();
    const port = Number(new URL(first.url).port);
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    const second = await startVariation(options, tcp);
    assert.notEqual(new URL(second.url).port, String(port));
    await second.stop();
    other.close();
  });

  it("is durable, small, private and reachable by its own socket only", async (test) => {
    const options = await testFolder(test);
    const server = await startEmbeddedPostgres(options);
    const [settings] = await query(
      server.url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('listen_addresses') as listen, current_setting('jit') as jit,
        (select concat_ws(' ', datcollate, datlocprovider, datlocale) from pg_database where datname = 'talaria') as locale`,
    );
    assert.deepEqual(settings, { fsync: "on", commit: "on", listen: "", jit: "off", locale: "C b C.UTF-8" });
    assert.equal((await stat(join(options.dataDir, "password"))).mode & 0o777, 0o600);
    assert.equal((await stat(options.dataDir)).mode & 0o777, 0o700);

    const wrong = new URL(server.url);
    wrong.password = "guess";
    await assert.rejects(query(wrong.href, "select 1"), /password authentication failed/);
    assert.equal((await stat(join(options.dataDir, "cluster", ".s.PGSQL.5432"))).mode & 0o777, 0o700);
    await server.stop();
  });

  it("needs at most 40 MB while idle", { skip: process.platform === "linux" ? false : "needs /proc" }, async (test) => {
    const options = await testFolder(test);
    const server = await startEmbeddedPostgres(options);
    const bytes = await Promise.all((await serverProcesses(join(options.dataDir, "cluster"))).map(proportionalKb));
    const total = bytes.reduce((sum, each) => sum + each, 0);
    assert.ok(total > 1_000 && total <= 40_000, `${total} kB`);
    await server.stop();
  });

  it("ends within its patience although a backend hangs", async (test) => {
    const options = await testFolder(test);
    const server = await startEmbeddedPostgres(options);
    const [client] = await connect(server.url, 1);
    const backend = (await client?.query("select pg_backend_pid() as pid"))?.rows[0].pid;
    process.kill(backend, "SIGSTOP");
    await stopServer(server.pid, 200);
    assert.equal(await isRunning(server.pid), false);
    await client?.end().catch(() => undefined);
  });

  it("leaves nothing running when a start is cancelled, and starts afterwards", async (test) => {
    const options = await testFolder(test);
    for (const afterMs of [0, 100, 600]) {
      const signal = AbortSignal.timeout(afterMs);
      await startEmbeddedPostgres({ ...options, signal }).then(
        (server) => server.stop(),
        (error) => assert.equal(error.problem, "aborted"),
      );
      assert.deepEqual(await serverProcesses(join(options.dataDir, "cluster")), []);
    }
    const server = await startEmbeddedPostgres(options);
    await server.stop();
  });
});

async function connect(url: string, count: number): Promise<Client[]> {
  const clients = Array.from({ length: count }, () => new Client({ connectionString: url }));
  for (const client of clients) {
    client.on("error", () => undefined);
    await client.connect();
  }
  return clients;
}

async function proportionalKb(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss: +(\d+) kB/m.exec(text)?.[1]);
}

interface Started {
  readonly url: string;
  readonly pid: number;
  readonly adopted: boolean;
}

function startInChild(options: EmbeddedPostgresOptions): { child: ChildProcess; result: Promise<Started> } {
  const source = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve("./start.ts"))});
    const server = await startEmbeddedPostgres({ ...${JSON.stringify(options)}, log: () => undefined });
    console.log(JSON.stringify(server));
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  return { child, result: once(lines, "line").then(([line]) => JSON.parse(line) as Started) };
}
