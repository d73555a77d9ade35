import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { brandAs, type ProcessId, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import {
  type AccountSignal,
  createQueue,
  migrateQueue,
  type QueueBackend,
  type QueueRole,
  type QueueSystem,
} from "../index.ts";
import { eventually } from "../testing/eventually.ts";
import { account, delta } from "../testing/frames.ts";
import { connectionSettings } from "./settings.ts";

const key = (text: string) => brandAs<SessionKey>(text);

describe("the queue on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let backend: QueueBackend;
  let admin: pg.Client;
  const systems: QueueSystem[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
    backend = { kind: "postgres", url: database.url };
    admin = new pg.Client(database.url);
    await admin.connect();
  });
  afterEach(async () => {
    await Promise.all(systems.splice(0).map((system) => system.close()));
    await admin.end();
    await database.drop();
  });

  async function open(role: QueueRole, other: QueueBackend = backend): Promise<QueueSystem> {
    const processId = brandAs<ProcessId>(`${role}-${systems.length}`);
    const system = await createQueue({
      backend: other,
      role,
      processId,
      log: silentLog,
      clock: systemClock,
      random: Math.random,
    });
    systems.push(system);
    return system;
  }

  async function numberOf(query: string, values: unknown[] = []): Promise<number> {
    const { rows } = await admin.query<{ count: string }>(`select count(*) from ${query}`, values);
    return Number(rows[0]?.count);
  }
  const connections = (role: string) =>
    numberOf("pg_stat_activity where application_name like $1 and datname = current_database()", [
      `talaria queue ${role}%`,
    ]);

  it("has its tables in a schema of its own, made once by many starters at a time", async () => {
    await Promise.all(Array.from({ length: 6 }, () => migrateQueue(backend)));
    await migrateQueue(backend);
    assert.equal(await numberOf("pg_tables where schemaname = 'talaria_queue'"), 2);
    assert.equal(await numberOf("pg_tables where schemaname = 'public'"), 0);
  });

  it("says that its tables are missing", async () => {
    await assert.rejects(open("gateway"), { code: "unavailable", message: /no queue tables/ });
    await eventually(async () => (await connections("")) === 0);
  });

  it("says that a login is wrong, without the password", async () => {
    const wrong = new URL(database.url);
    wrong.password = "s3cret";
    const refused = { code: "unauthorized", message: /refused the login$/ };
    await assert.rejects(open("gateway", { kind: "postgres", url: wrong.href }), refused);
    await assert.rejects(migrateQueue({ kind: "postgres", url: wrong.href }), refused);
  });

  it("uses one connection in a busy worker and one in a gateway, and leaves none behind", async () => {
    await migrateQueue(backend);
    const gateway = await open("gateway");
    const worker = await open("worker");
    const runs = new Set<string>();
    worker.wakes.consume(async (sessionKey) => void runs.add(sessionKey), 50);
    await gateway.bus.onAccount(account, () => undefined);
    await worker.bus.onWorker(brandAs<ProcessId>("me"), () => undefined);
    const names = Array.from({ length: 400 }, (_, n) => `s/${n}`);
    for (const [n, name] of names.entries()) {
      gateway.wakes.wake(key(name)).catch(assert.fail);
      worker.bus.frame(delta(n));
      if (n % 20 === 0) await gateway.ping(AbortSignal.timeout(120_000));
    }
    await eventually(() => runs.size === names.length);
    assert.equal(await connections("worker"), 1);
    assert.equal(await connections("gateway"), 1);
    await Promise.all([gateway.close(), worker.close()]);
    await eventually(async () => (await connections("")) === 0);
  });

  it("keeps a wake-up until a worker takes it, one for each session, and nothing afterwards", async () => {
    await migrateQueue(backend);
    const gateway = await open("gateway");
    for (let round = 0; round < 3; round += 1)
      await Promise.all(Array.from({ length: 200 }, (_, n) => gateway.wakes.wake(key(`${n}`))));
    assert.equal(await numberOf("talaria_queue.wake"), 200);
    const worker = await open("worker");
    const runs: string[] = [];
    worker.wakes.consume(async (sessionKey) => void runs.push(sessionKey), 20);
    await eventually(() => runs.length === 200);
    assert.deepEqual(runs.slice(0, 8).sort(), ["0", "1", "2", "3", "4", "5", "6", "7"], "the oldest first");
    assert.equal(await numberOf("talaria_queue.wake"), 0);
  });

  it("leaves what one worker has no room for to another", async () => {
    await migrateQueue(backend);
    const gateway = await open("gateway");
    const mayEnd = Promise.withResolvers<void>();
    const runs = { full: 0, free: 0 };
    const full = await open("worker");
    full.wakes.consume(async () => {
      runs.full += 1;
      await mayEnd.promise;
    }, 2);
    for (let n = 0; n < 5; n += 1) await gateway.wakes.wake(key(`${n}`));
    await eventually(() => runs.full === 2);
    const free = await open("worker");
    free.wakes.consume(async () => {
      runs.free += 1;
    }, 2);
    await eventually(() => runs.free === 3);
    mayEnd.resolve();
    await gateway.wakes.wake(key("later"));
    await eventually(() => runs.full + runs.free === 6);
  });

  it("survives that the server ends all its connections", async () => {
    await migrateQueue(backend);
    const gateway = await open("gateway");
    const worker = await open("worker");
    const runs: string[] = [];
    worker.wakes.consume(async (sessionKey) => void runs.push(sessionKey), 5);
    const signals: AccountSignal[] = [];
    await gateway.bus.onAccount(account, (signal) => signals.push(signal));
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'talaria queue%'",
    );
    await eventually(() =>
      gateway.wakes.wake(key("again")).then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => runs.includes("again"));
    await eventually(() => {
      worker.bus.deliver(account);
      return signals.length > 0;
    });
  });

  it("skips and logs notifications that it cannot read", async () => {
    await migrateQueue(backend);
    const gateway = await open("gateway");
    const signals: AccountSignal[] = [];
    await gateway.bus.onAccount(account, (signal) => signals.push(signal));
    const { rows } = await admin.query<{ channel: string }>(
      "select 'talaria_' || left(encode(sha256(convert_to('account/telegram-main', 'UTF8')), 'hex'), 40) as channel",
    );
    const channel = rows[0]?.channel;
    const good = { type: "frame", frame: delta(3) };
    for (const payload of [
      "",
      "{",
      '"text"',
      JSON.stringify([{ type: "frame", frame: { ...delta(2), n: -1 } }, { type: "news" }, good]),
    ]) {
      await admin.query("select pg_notify($1, $2)", [channel, payload]);
    }
    await eventually(() => signals.length > 0);
    assert.deepEqual(signals, [{ type: "frames", frames: [delta(3)] }]);
  });

  it("is not cut short by a statement timeout of the database", async () => {
    const name = new URL(database.url).pathname.slice(1);
    await admin.query(`alter database ${name} set statement_timeout = 20`);
    const client = new pg.Client(connectionSettings(database.url, "x"));
    await client.connect();
    try {
      await client.query("select pg_sleep(0.1)");
    } finally {
      await client.end();
    }
  });

  it("keeps options that the address brings", () => {
    const { connectionString, options } = connectionSettings(
      "postgres://u:p@h/db?options=-c%20geqo%3Doff&sslmode=disable",
      "x",
    );
    assert.equal(connectionString, "postgres://u:p@h/db?sslmode=disable");
    assert.match(options ?? "", /^-c geqo=off -c search_path=talaria_queue /);
  });
});
