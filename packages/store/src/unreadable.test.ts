import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { type Database, openDatabase } from "./database/database.ts";
import {
  accountId,
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  newAccountLease,
  newWorker,
  said,
  type TestStore,
  textOf,
} from "./test-store.ts";

describe("a row that this release cannot read", () => {
  let test: TestStore;
  let database: Database;
  before(async () => {
    test = await createTestStore();
    database = openDatabase({ url: test.url, log: silentLog, clock: systemClock, maxConnections: 2 });
  });
  after(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  it("in the outbox is set aside, and the account's other texts go on", async () => {
    const { outbox, operations } = test.store;
    const keys = ["a", "b", "c", "d"];
    await outbox.add(keys.map((key) => textOf(key, key)));
    const broken = [
      ["a", `body - 'markdown'`],
      ["b", `jsonb_set(body, '{kind}', '"from the future"')`],
    ];
    for (const [key, body] of broken)
      await database.query({ text: `update outbox set body = ${body} where delivery_key = $1`, values: [key ?? ""] });
    const lease = await newAccountLease(test.store);
    const due = await outbox.due(lease, [], 2);
    assert.deepEqual(
      due.map(({ deliveryKey }) => deliveryKey),
      ["c", "d"],
    );
    const rows = await database.query({ text: "select state, error from outbox where state <> 'pending'" });
    assert.deepEqual(
      rows,
      [1, 2].map(() => ({ state: "failed", error: "unreadable" })),
    );
    assert.equal((await operations.backlog()).failedDeliveries, 2);
  });

  it("in the outbox is left to the new holder once the account is lost", async () => {
    const { outbox, accounts } = test.store;
    const lease = await newAccountLease(test.store);
    await accounts.release(lease);
    await assert.rejects(outbox.due(lease, [], 10), { code: "conflict" });
  });

  const breakEvent = (id: string) =>
    database.query({ text: `update inbox set body = body - 'sender' where event_id = $1`, values: [id] });

  it("in the inbox is dropped, and the session goes on without it", async () => {
    const { store } = test;
    for (const id of ["in-1", "in-2", "in-3"]) await store.inbox.record(entryOf(id, "in"));
    await breakEvent("in-2");
    const found = await claim(store, "in", await newWorker(store));
    assert.deepEqual(
      found.pending.map(({ event }) => event.id),
      ["in-1", "in-3"],
    );
    const status = await store.inbox.status(accountId, entryOf("in-2", "in").event.id);
    assert.deepEqual([status?.state, status?.reason], ["dropped", "unreadable"]);
  });

  it("in the inbox leaves a session that has nothing else to do", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("only", "only"));
    await breakEvent("only");
    const found = await claim(store, "only", await newWorker(store));
    assert.deepEqual(found.pending, []);
    assert.equal(await store.turns.release(found.lease), true);
  });

  it("does not keep others from steering a turn", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("s-1", "s"));
    const turn = await beginTurn(store, "s", await newWorker(store));
    for (const id of ["s-2", "s-3"]) await store.inbox.record(entryOf(id, "s", "steer"));
    await breakEvent("s-2");
    const seen: string[] = [];
    await store.turns.steer(turn.lease, turn.start.turnId, (events) => {
      seen.push(...events.map(({ event }) => event.id));
      return [said("more")];
    });
    assert.deepEqual(seen, ["s-3"]);
    assert.deepEqual(await completeTurn(store, turn), { released: true });
  });
});
