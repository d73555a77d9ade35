import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { createTestStore, type TestStore } from "../test-store.ts";
import { type Database, openDatabase } from "./database.ts";
import { createReadiness } from "./readiness.ts";

describe("readiness of the database", () => {
  let test: TestStore;
  let database: Database;
  before(async () => {
    test = await createTestStore();
    database = openDatabase({ url: test.url, log: silentLog, clock: systemClock, maxConnections: 1 });
  });
  after(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  it("is there while it takes what is written, and gone while it is read-only", async () => {
    let now = 0;
    const readiness = createReadiness(database, () => now);
    await readiness.check();
    await database.query({ text: "set default_transaction_read_only = on" });
    now = 10_000;
    await assert.rejects(readiness.check(), { code: "unavailable", message: "the database is read-only" });
    await database.query({ text: "set default_transaction_read_only = off" });
    await readiness.check();
  });

  it("is asked for once, however many ask", async () => {
    const readiness = createReadiness(database, () => systemClock.elapsed());
    const written = async () =>
      (await database.query<{ value: string }>({ text: "select value from total where name = 'readiness'" }))[0];
    const before = await written();
    await Promise.all(Array.from({ length: 50 }, () => readiness.check()));
    assert.equal(Number((await written())?.value), Number(before?.value) + 1);
  });

  it("is gone for a while when a statement found no room on the disk", async () => {
    let now = systemClock.elapsed();
    const readiness = createReadiness(database, () => now);
    const full = "do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$";
    await assert.rejects(database.query({ text: full }), { code: "unavailable" });
    now = systemClock.elapsed();
    await assert.rejects(readiness.check(), { code: "unavailable", message: "the disk of the database is full" });
    now += 11_000;
    await readiness.check();
  });
});
