import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { type ErrorCode, isGatewayError, outOfConnections, silentLog, systemClock } from "@talaria/protocol";
import { type Database, openDatabase } from "./database.ts";
import { isOutOfConnections } from "./database-error.ts";

describe("the database", () => {
  let database: Database;
  let url: string;
  let drop: () => Promise<void>;
  before(async () => {
    const created = await createTestDatabase();
    ({ url, drop } = created);
    database = openDatabase({ url, log: silentLog, clock: systemClock, maxConnections: 2 });
    await database.query({ text: "create schema talaria" });
    await database.query({ text: "create sequence attempt" });
    await database.query({
      text: `create function fail_until(wanted bigint, code text) returns bigint language plpgsql as $$
        declare n bigint := nextval('attempt');
        begin
          if n < wanted then raise exception using errcode = code, message = 'told to fail'; end if;
          return n;
        end $$`,
    });
  });
  after(async () => {
    await database.close();
    await drop();
  });

  const attempts = async (wanted: number, code: string) => {
    await database.query({ text: "alter sequence attempt restart" });
    return await database.query<{ n: string }>({ text: "select fail_until($1, $2) as n", values: [wanted, code] });
  };

  for (const code of ["40001", "40P01"]) {
    it(`runs a statement again that was undone with ${code}, but not for ever`, async () => {
      assert.deepEqual(await attempts(4, code), [{ n: "4" }]);
      await assert.rejects(
        attempts(5, code),
        (error) => isGatewayError(error, "unavailable") && error.effect === "none",
      );
    });
  }

  const cases: readonly (readonly [string, ErrorCode])[] = [
    ["57P01", "unavailable"],
    ["53100", "unavailable"],
    ["25006", "unavailable"],
    ["57014", "unavailable"],
    ["23505", "internal"],
  ];
  for (const [code, expected] of cases) {
    it(`turns ${code} into \`${expected}\` without a second attempt`, async () => {
      await assert.rejects(attempts(2, code), (error) => isGatewayError(error, expected));
    });
  }

  it("says what helps when a role has no connection left", async () => {
    const role = `full_${url.slice(-12)}`;
    await database.query({ text: `create role ${role} login password 'secret' connection limit 0` });
    const theirs = Object.assign(new URL(url), { username: role, password: "secret" }).href;
    const full = openDatabase({ url: theirs, log: silentLog, clock: systemClock, maxConnections: 1 });
    await assert.rejects(full.query({ text: "select 1" }), (error) => {
      assert.ok(isGatewayError(error, "unavailable") && isOutOfConnections(error));
      assert.deepEqual([error.effect, error.message], ["none", `the database ${outOfConnections.words}`]);
      return true;
    });
    await full.close();
    await database.query({ text: `drop role ${role}` });
  });

  it("is not cut short by a statement timeout of the server's database or role", async () => {
    await database.query({
      text: `do $$ begin
        execute format('alter database %I set statement_timeout = 20', current_database());
        execute format('alter role %I in database %I set statement_timeout = 20', current_user, current_database());
      end $$`,
    });
    const fresh = openDatabase({ url, log: silentLog, clock: systemClock, maxConnections: 1 });
    try {
      await fresh.query({ text: "select pg_sleep(0.1)" });
    } finally {
      await fresh.close();
      await database.query({
        text: `do $$ begin
          execute format('alter database %I reset statement_timeout', current_database());
          execute format('alter role %I in database %I reset statement_timeout', current_user, current_database());
        end $$`,
      });
    }
  });

  it("answers `unavailable` where nobody listens", async () => {
    const nowhere = openDatabase({
      url: "postgres://u:p@127.0.0.1:1/d",
      log: silentLog,
      clock: systemClock,
      maxConnections: 1,
    });
    await assert.rejects(
      nowhere.query({ text: "select 1" }),
      (error) => isGatewayError(error, "unavailable") && error.effect === "none",
    );
    await nowhere.close();
  });
});
