import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { createStore, type Store } from "../store.ts";
import { createTestStore, type TestStore } from "../test-store.ts";

const unauthorized = (error: unknown) => isGatewayError(error, "unauthorized");

describe("what logins to MCP servers gave", () => {
  let test: TestStore;
  const stores: Store[] = [];
  const open = (loginKey?: Uint8Array) => {
    const key = loginKey === undefined ? {} : { loginKey };
    const store = createStore({ url: test.url, log: silentLog, clock: systemClock, maxConnections: 1, ...key });
    stores.push(store);
    return store.logins;
  };
  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await test[Symbol.asyncDispose]();
  });

  it("is kept for each server and issuer, and forgotten one by one or together", async () => {
    const [logins, other] = [open(new Uint8Array(32).fill(1)), open(new Uint8Array(32).fill(1))];
    assert.equal(await logins.load("one", "a"), undefined);
    await logins.save("one", "a", "first");
    await logins.save("one", "a", "canary-token ✓");
    await logins.save("one", "", "progress");
    await logins.save("two", "a", "other");
    assert.equal(await other.load("one", "a"), "canary-token ✓");
    await logins.forget("one", "a");
    assert.deepEqual([await other.load("one", "a"), await other.load("one", "")], [undefined, "progress"]);
    assert.deepEqual([await other.forgetAll("one"), await other.forgetAll("one")], [true, false]);
    assert.deepEqual([await logins.load("one", ""), await logins.load("two", "a")], [undefined, "other"]);
  });

  it("can be read with its key alone, and in its place alone", async () => {
    const logins = open(new Uint8Array(32).fill(1));
    await logins.save("mine", "a", "canary-token");
    await assert.rejects(open(new Uint8Array(32).fill(2)).load("mine", "a"), /another logins\.key/);
    await assert.rejects(open().load("mine", "a"), unauthorized);
    await assert.rejects(open().save("mine", "a", "x"), unauthorized);
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    try {
      const { rows } = await client.query("select value from talaria.mcp_login");
      assert.ok(rows.every(({ value }) => !Buffer.from(value).includes("canary")));
      await client.query("update talaria.mcp_login set server = 'yours' where server = 'mine'");
      await assert.rejects(logins.load("yours", "a"), unauthorized);
    } finally {
      await client.end();
    }
  });
});
