import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { SessionKey } from "@talaria/protocol";
import pg from "pg";
import { beginTurn, claim, createTestStore, entryOf, keyOf, newWorker, type TestStore } from "../test-store.ts";

const sessions = Array.from({ length: 2_500 }, (_, n) => `many-${String(n).padStart(4, "0")}`);

describe("stranded sessions", () => {
  let test: TestStore;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    await Promise.all(sessions.map((session) => test.store.inbox.record(entryOf(`${session}-1`, session))));
    await client.query("update inbox set recorded_at = recorded_at - interval '1 minute'");
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  async function pages(): Promise<readonly (readonly SessionKey[])[]> {
    const found: SessionKey[][] = [];
    let after: SessionKey | undefined;
    do {
      const page = await test.store.turns.stranded(after);
      found.push(page.sessions.map(({ sessionKey }) => sessionKey));
      after = page.next;
    } while (after !== undefined);
    return found;
  }

  it("are found page by page, each of them once and in the order of their keys", async () => {
    const found = await pages();
    assert.deepEqual(
      found.map(({ length }) => length),
      [1_000, 1_000, 500],
    );
    assert.deepEqual(found.flat(), sessions.map(keyOf));
  });

  it("are not those that a living worker has, and the pages go on behind many of these", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await client.query("update session set owner = $1 where session_key < $2", [worker, keyOf("many-1500")]);
    assert.deepEqual(
      (await pages()).map(({ length }) => length),
      [0, 500, 500],
    );
    await store.processes.retire(worker);
    assert.equal((await pages()).flat().length, sessions.length);
  });

  it("are those with an open turn too, and not those whose first event is not ready", async () => {
    const { store } = test;
    const [open = "", held = ""] = ["aaa-open", "aaa-held"];
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("open-1", open));
    await store.turns.handOver((await beginTurn(store, open, worker)).lease);
    await store.inbox.record({ ...entryOf("held-1", held), hold: { key: "burst", ms: 3_600_000 } });
    await store.inbox.record(entryOf("held-2", held));
    await client.query(
      "update inbox set recorded_at = recorded_at - interval '1 minute' where session_key like '%aaa-%'",
    );
    const [page] = await pages();
    assert.equal(page?.[0], keyOf(open));
    assert.equal(page?.includes(keyOf(held)), false);
    await claim(store, open, worker);
    assert.equal((await pages()).flat().includes(keyOf(open)), false);
  });

  it("are left to their ordinary wake-up for a while", async () => {
    await test.store.inbox.record(entryOf("new-1", "aaa-new"));
    await client.query("update inbox set recorded_at = recorded_at + interval '1 minute' where event_id = 'new-1'");
    assert.equal((await pages()).flat().includes(keyOf("aaa-new")), false);
  });
});
