import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { createStore, type Store } from "../store.ts";
import { entryOf } from "../test-store.ts";
import { lockId } from "./function-sets.ts";
import { migrate } from "./migrate.ts";
import { readSqlSource } from "./sql-source.ts";

describe("migrate", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function query(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  function open(url = database.url): AsyncDisposable & { readonly store: Store } {
    const store = createStore({ url, log: silentLog, clock: systemClock, maxConnections: 1 });
    return { store, [Symbol.asyncDispose]: () => store.close() };
  }

  it("is safe with many starters and does nothing the second time", async () => {
    const applied: unknown[] = [];
    const log = { ...silentLog, info: (fields: Readonly<Record<string, unknown>>) => applied.push(fields.version) };
    await Promise.all(Array.from({ length: 6 }, () => migrate(database.url, log)));
    const versions = (await query("select version from talaria.migration order by version")).map(
      ({ version }) => version,
    );
    assert.ok(versions.length > 0);
    assert.deepEqual(applied, versions);
    await migrate(database.url, log);
    assert.equal(applied.length, versions.length);
  });

  it("waits for another starter whatever statement timeout the database has", async () => {
    const name = new URL(database.url).pathname.slice(1);
    await query(`alter database ${name} set statement_timeout = 20`);
    const other = new pg.Client({ connectionString: database.url, statement_timeout: 60_000 });
    await other.connect();
    try {
      await other.query("select pg_advisory_lock($1)", [lockId]);
      const migrated = migrate(database.url, silentLog);
      await other.query("select pg_sleep(0.2)");
      await other.query("select pg_advisory_unlock($1)", [lockId]);
      assert.deepEqual(await migrated, { isNewer: false });
    } finally {
      await other.end();
    }
  });

  it("leaves a caller's files to a token from before tokens had places of their own", async () => {
    const source = readSqlSource();
    const first = source.migrations.findIndex(({ name }) => name.includes("token-workspaces"));
    assert.ok(first > 0);
    const before = source.migrations.slice(0, first);
    await migrate(database.url, silentLog, { ...source, migrations: before });
    await query("insert into talaria.mcp_token (name, digest, role) values ('desk', '\\x01', 'owner')");
    await migrate(database.url, silentLog);
    await using opened = open();
    assert.equal((await opened.store.mcpTokens.find("01"))?.workspace, "mcp-http/desk");
    await opened.store.mcpTokens.revoke("desk");
    await opened.store.mcpTokens.make("desk", "guest", "02");
    assert.equal((await opened.store.mcpTokens.find("02"))?.workspace, "mcp-http/desk/02");
  });

  const unsupported = (sentence: RegExp) => (error: unknown) => {
    assert.ok(isGatewayError(error, "unsupported"), String(error));
    assert.match(error.message, sentence);
    return true;
  };

  it("refuses a database that a newer release has migrated so that this one can't read it, and touches nothing", async () => {
    await migrate(database.url, silentLog);
    await query("insert into talaria.migration select 1000, 'future', '', 1000; truncate talaria.function_set");
    const sentence = /^The database is at version 1000, but this release knows versions up to \d+: .*\.$/;
    await assert.rejects(migrate(database.url, silentLog), unsupported(sentence));
    await using opened = open();
    await assert.rejects(opened.store.inbox.record(entryOf("one", "one")), unsupported(sentence));
    assert.deepEqual(await query("select from talaria.function_set"), []);
  });

  it("is content with a newer database that says this release can work with it", async () => {
    await migrate(database.url, silentLog);
    await query("insert into talaria.migration select 1000, 'future', '', 1");
    await migrate(database.url, silentLog);
    await using opened = open();
    assert.equal((await opened.store.inbox.record(entryOf("one", "one"))).outcome, "recorded");
  });

  it("refuses a database that was migrated by other files", async () => {
    await migrate(database.url, silentLog);
    await query("update talaria.migration set checksum = 'other' where version = 1");
    await assert.rejects(migrate(database.url, silentLog), unsupported(/with another 0001-first than this release/));
  });

  it("refuses a database from before the first release, and touches nothing", async () => {
    await query(`create schema talaria;
      create table talaria.migration (version integer primary key, name text, checksum text, applied_at timestamptz);
      insert into talaria.migration select n, 'migration ' || n, '' from generate_series(1, 8) as n`);
    const objects = "select count(*) from pg_class where relnamespace = 'talaria'::regnamespace";
    const before = await query(objects);
    await assert.rejects(migrate(database.url, silentLog), unsupported(/from before the first release, .* empty/));
    assert.deepEqual(await query(objects), before);
  });

  it("leaves nothing half done: a migration that fails is undone and may be tried again", async () => {
    await query("create schema talaria; create table talaria.inbox ()");
    await assert.rejects(migrate(database.url, silentLog), (error) => isGatewayError(error, "internal"));
    assert.deepEqual(await query("select to_regclass('talaria.session') as found"), [{ found: null }]);
    await query("drop table talaria.inbox");
    await migrate(database.url, silentLog);
  });

  it("is tried again when it is undone for what works on the same tables in another order", async () => {
    const source = readSqlSource();
    await migrate(database.url, silentLog, source);
    await query("create table talaria.one (n integer); create table talaria.two (n integer)");
    const sql = "alter table one add column more integer; alter table two add column more integer";
    const more = { version: source.migrations.length + 1, name: "more", sql, checksum: "more", readableBy: 1 };
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      // The migration notices the deadlock first, and is the one that is undone.
      await other.query("set deadlock_timeout = '100s'");
      await other.query("begin; lock table talaria.two in access share mode");
      const migrated = migrate(database.url, silentLog, { ...source, migrations: [...source.migrations, more] });
      const waits = "select from pg_locks where relation = 'talaria.two'::regclass and not granted";
      while ((await query(waits)).length === 0);
      await other.query("select from talaria.one; commit");
      assert.deepEqual(await migrated, { isNewer: false });
    } finally {
      await other.end();
    }
    await query("select more from talaria.one; select more from talaria.two");
  });

  it("keeps to its own schema, also when the connection string has options of its own", async () => {
    const url = new URL(database.url);
    url.searchParams.set("options", "-c search_path=public -c work_mem=5MB");
    await migrate(url.href, silentLog);
    await using opened = open(url.href);
    await opened.store.inbox.record(entryOf("one", "one"));
    const rows = await query("select distinct table_schema from information_schema.tables where table_name = 'inbox'");
    assert.deepEqual(rows, [{ table_schema: "talaria" }]);
  });
});
