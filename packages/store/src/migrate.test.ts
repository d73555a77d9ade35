import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { isGatewayError, silentLog } from "@talaria/protocol";
import pg from "pg";
import { migrate } from "./migrate.ts";
import { createStore } from "./store.ts";
import { entryOf } from "./test-store.ts";

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

  it("refuses a database that a newer release has migrated, with one sentence", async () => {
    await migrate(database.url, silentLog);
    await query("insert into talaria.migration (version, name, checksum) select 1000, 'future', ''");
    await assert.rejects(migrate(database.url, silentLog), (error) => {
      assert.ok(isGatewayError(error, "unsupported"));
      assert.match(error.message, /^The database is at version 1000, but this release knows versions up to \d+: .*\.$/);
      return true;
    });
  });

  it("refuses a database that was migrated by other files", async () => {
    await migrate(database.url, silentLog);
    await query("update talaria.migration set checksum = 'other' where version = 2");
    await assert.rejects(migrate(database.url, silentLog), (error) => isGatewayError(error, "unsupported"));
  });

  it("leaves nothing half done: a migration that fails is undone and may be tried again", async () => {
    await query("create schema talaria; create table talaria.inbox ()");
    await assert.rejects(migrate(database.url, silentLog), (error) => isGatewayError(error, "internal"));
    assert.deepEqual(await query("select to_regclass('talaria.session') as found"), [{ found: null }]);
    await query("drop table talaria.inbox");
    await migrate(database.url, silentLog);
  });

  it("keeps to its own schema, also when the connection string has options of its own", async () => {
    const url = new URL(database.url);
    url.searchParams.set("options", "-c search_path=public -c work_mem=5MB");
    await migrate(url.href, silentLog);
    const store = createStore({ url: url.href, log: silentLog, maxConnections: 1 });
    await store.inbox.record(entryOf("one", "one"));
    await store.close();
    const rows = await query("select distinct table_schema from information_schema.tables where table_name = 'inbox'");
    assert.deepEqual(rows, [{ table_schema: "talaria" }]);
  });
});
