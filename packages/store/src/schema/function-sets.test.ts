import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { createStore, type Store } from "../store.ts";
import { entryOf, never } from "../test-store.ts";
import { migrate } from "./migrate.ts";
import { readSqlSource, type SqlSource } from "./sql-source.ts";

const source = readSqlSource();
const other: SqlSource = {
  ...source,
  functions: { schema: "talaria_fn_other", sql: `${source.functions.sql} -- changed` },
};

describe("the SQL files", () => {
  const folder = join(import.meta.dirname, "..");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const read = (path: string) => readFileSync(join(folder, path), "utf8");

  it("define each function once, and every function that is called", () => {
    const defined = [...source.functions.sql.matchAll(/create (.*?)function (\w+)/g)];
    assert.deepEqual([...new Set(defined.map(([, how]) => how))], [""], "none is replaced");
    const names = defined.map(([, , name]) => name);
    assert.equal(names.length, new Set(names).size);
    const code = files.filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts")).map(read);
    const called = code.flatMap((text) =>
      [...text.matchAll(/= sql\w*Function<[\s\S]*?>\(\s*"(\w+)"/g)].map(([, name]) => name),
    );
    assert.ok(called.length > 15);
    for (const name of called) assert.ok(names.includes(name ?? ""), `${name} is called`);
  });

  it("keep functions out of migrations", () => {
    for (const { name, sql } of source.migrations) assert.doesNotMatch(sql, /\b(function|trigger)\b/i, name);
  });
});

describe("a set of functions", () => {
  let url: string;
  let drop: () => Promise<void>;
  let client: pg.Client;
  before(async () => {
    ({ url, drop } = await createTestDatabase());
    await migrate(url, silentLog);
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await drop();
  });

  const open = (of: SqlSource, maxConnections = 2): AsyncDisposable & { readonly store: Store } => {
    const store = createStore({ url, log: silentLog, clock: systemClock, maxConnections, source: of });
    return { store, [Symbol.asyncDispose]: () => store.close() };
  };
  const sets = async () =>
    (await client.query("select nspname from pg_namespace where nspname like 'talaria_fn_%' order by 1")).rows.map(
      ({ nspname }) => nspname as string,
    );
  const unused = (name: string, hours: number) =>
    client.query(
      "update talaria.function_set set last_used = clock_timestamp() - $2::integer * interval '1 hour' where name = $1",
      [name, hours],
    );
  const record = (store: Store, id: string) => store.inbox.record(entryOf(id, id));

  it("is installed once, however many start", async () => {
    const installed = async () => (await client.query("select name, installed_at from talaria.function_set")).rows;
    const before = await installed();
    assert.equal(before.length, 1);
    await Promise.all(Array.from({ length: 4 }, () => migrate(url, silentLog)));
    assert.deepEqual(await installed(), before);
    await Promise.all(
      Array.from({ length: 4 }, async (_, n) => {
        await using opened = open(other);
        await record(opened.store, `starter-${n}`);
      }),
    );
    assert.deepEqual(await sets(), [source.functions.schema, other.functions.schema].sort());
  });

  it("is dropped when nobody has used it for a day, and not before", async () => {
    await unused(other.functions.schema, 23);
    await migrate(url, silentLog);
    assert.ok((await sets()).includes(other.functions.schema));
    await unused(other.functions.schema, 25);
    await using opened = open(source);
    await opened.store.operations.prune(30, never);
    assert.deepEqual(await sets(), [source.functions.schema]);
  });

  it("is used as long as a process calls it", async () => {
    let now = systemClock.now();
    const clock = { now: () => now, elapsed: () => now };
    const store = createStore({ url, log: silentLog, clock, maxConnections: 1, source });
    await record(store, "used-1");
    await unused(source.functions.schema, 23);
    now += 3_700_000;
    await record(store, "used-2");
    await store.close();
    const { rows } = await client.query(
      "select last_used > clock_timestamp() - interval '1 minute' as lately from talaria.function_set where name = $1",
      [source.functions.schema],
    );
    assert.deepEqual(rows, [{ lately: true }]);
  });

  it("is installed again by a process that was paused for longer than a day", async () => {
    await using paused = open(other);
    await record(paused.store, "paused-1");
    // That it was used is written beside what it was used for, perhaps a moment later.
    while ((await sets()).length > 1) {
      await unused(other.functions.schema, 25);
      await migrate(url, silentLog);
    }
    assert.deepEqual(await sets(), [source.functions.schema]);
    const recorded = await Promise.all(["a", "b", "c"].map((id) => record(paused.store, `paused-${id}`)));
    assert.deepEqual(new Set(recorded.map(({ outcome }) => outcome)), new Set(["recorded"]));
    assert.ok((await sets()).includes(other.functions.schema));
  });

  it("may be dropped while processes start with it, again and again", async () => {
    for (let round = 0; round < 5; round += 1) {
      await unused(other.functions.schema, 25);
      await using first = open(other);
      await using second = open(other);
      const recorded = await Promise.all([
        record(first.store, `race-${round}-1`),
        migrate(url, silentLog),
        record(second.store, `race-${round}-2`),
        second.store.operations.prune(30, never),
      ]);
      assert.deepEqual([recorded[0].outcome, recorded[2].outcome], ["recorded", "recorded"]);
    }
  });

  it("is not installed over tables that are missing or too old: the error names the remedy", async () => {
    const refused = (error: unknown) =>
      isGatewayError(error, "unsupported") && /run `talaria migrate` first/.test(error.message);
    await using next = open({ ...other, migrations: [...source.migrations, ...source.migrations] });
    await assert.rejects(next.store.enter(), refused);
    await assert.rejects(record(next.store, "early"), refused);
    const empty = await createTestDatabase();
    const store = createStore({ url: empty.url, log: silentLog, clock: systemClock, maxConnections: 1 });
    await assert.rejects(record(store, "earlier"), refused);
    await migrate(empty.url, silentLog);
    assert.equal((await record(store, "in time")).outcome, "recorded");
    await store.close();
    await empty.drop();
  });
});
