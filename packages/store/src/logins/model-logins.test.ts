import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { createStore, type Store } from "../store.ts";
import { createTestStore, type TestStore } from "../test-store.ts";

describe("what logins to providers of models gave", () => {
  let test: TestStore;
  const stores: Store[] = [];
  const open = (loginKey: Uint8Array | undefined = new Uint8Array(32).fill(1)) => {
    const key = loginKey.length === 0 ? {} : { loginKey };
    const store = createStore({ url: test.url, log: silentLog, clock: systemClock, maxConnections: 1, ...key });
    stores.push(store);
    return store;
  };
  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await test[Symbol.asyncDispose]();
  });

  it("is kept part by part, apart from logins to MCP servers of the same name", async () => {
    const { modelLogins, logins } = open();
    await modelLogins.save("chatgpt", "access", "one");
    await modelLogins.save("chatgpt", "renewal", "two");
    await logins.save("chatgpt", "access", "of a server");
    const other = open().modelLogins;
    assert.deepEqual([await other.load("chatgpt", "access"), await other.load("chatgpt", "renewal")], ["one", "two"]);
    await logins.forgetAll("chatgpt");
    await modelLogins.forget("chatgpt", "access");
    assert.deepEqual(
      [await other.load("chatgpt", "access"), await other.load("chatgpt", "renewal")],
      [undefined, "two"],
    );
  });

  it("cannot be read in the database, nor without the key", async () => {
    await open().modelLogins.save("sealed", "renewal", "canary-token");
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    try {
      const { rows } = await client.query("select value from talaria.mcp_login");
      assert.ok(rows.length > 0 && rows.every(({ value }) => !Buffer.from(value).includes("canary")));
    } finally {
      await client.end();
    }
    const { modelLogins } = open(new Uint8Array());
    await assert.rejects(modelLogins.load("sealed", "renewal"), (error) => isGatewayError(error, "unauthorized"));
    await assert.rejects(open(new Uint8Array(32).fill(2)).modelLogins.load("sealed", "renewal"), /another logins\.key/);
  });

  it("is worked on by one process at a time, and by the next one when that has failed", async () => {
    const [first, second] = [open().modelLogins, open().modelLogins];
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const working = first.alone("chatgpt", () => {
      begin();
      return mayEnd;
    });
    await began;
    const never = async () => assert.fail("ran beside another one");
    assert.equal(await second.alone("chatgpt", never), false);
    let others = 0;
    const count = async () => {
      others += 1;
    };
    assert.equal(await second.alone("other", count), true);
    end();
    assert.equal(await working, true);
    await assert.rejects(
      second.alone("chatgpt", () => Promise.reject(new Error("broken"))),
      /broken/,
    );
    assert.equal(await first.alone("chatgpt", count), true);
    assert.equal(others, 2);
  });
});
