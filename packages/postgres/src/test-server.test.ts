import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Client } from "pg";
import { query } from "./database.ts";
import { createTestDatabase } from "./test-server.ts";

describe("a test database", () => {
  it("is empty, apart from others, and gone after drop although a client is connected", async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    await query(one.url, "create table note (n int)");
    assert.deepEqual(await query(two.url, "select * from pg_tables where schemaname = 'public'"), []);
    const client = new Client({ connectionString: one.url });
    await client.connect();
    const cut = once(client, "error");
    client.on("error", () => undefined);
    await one.drop();
    assert.match(String(await cut), /terminating connection|terminated/);
    await assert.rejects(query(one.url, "select 1"), /does not exist/);
    await two.drop();
    await two.drop();
  });
});
