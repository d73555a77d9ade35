import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { claim, createTestStore, entryOf, keyOf, newWorker, type TestStore } from "../test-store.ts";

describe("a session whose row somebody has locked", () => {
  let test: TestStore;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    for (const session of ["locked", "free"]) await test.store.inbox.record(entryOf(`${session}-1`, session));
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  it("delays no other session, and gets what was said meanwhile in order", async () => {
    const { store } = test;
    await client.query("begin");
    await client.query("select from session where session_key = $1 for update", [keyOf("locked")]);
    const order: string[] = [];
    const ids = Array.from({ length: 20 }, (_, n) => `locked-${n + 2}`);
    const locked = ids.map(async (id) => {
      const recorded = await store.inbox.record(entryOf(id, "locked"));
      order.push(id);
      return recorded.outcome === "recorded" ? recorded.seq : undefined;
    });
    // In the same batch as the first of them, and in later ones.
    const beside = ["free-2", "new-1", "free-3"].map((id) => store.inbox.record(entryOf(id, id.split("-")[0] ?? "")));
    const claimed = await claim(store, "free", await newWorker(store));
    assert.ok(claimed.pending.length > 0);
    for (const { outcome } of await Promise.all(beside)) assert.equal(outcome, "recorded");
    for (let n = 4; n < 30; n += 1) await store.inbox.record(entryOf(`free-${n}`, "free"));
    assert.deepEqual(order, [], "the lock still lasts");
    locked.push(store.inbox.record(entryOf("locked-99", "locked")).then((found) => ("seq" in found ? found.seq : 0)));
    await client.query("rollback");
    const seqs = await Promise.all(locked);
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 2),
    );
  });
});
