import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import {
  accountId,
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  newAccountLease,
  newWorker,
  startOf,
  type TestStore,
  textOf,
} from "../test-store.ts";

describe("what is said in another conversation", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  /** As a gateway that delivers everything at once. */
  const deliverAll = async () => {
    const lease = await newAccountLease(test.store);
    for (const { id } of await test.store.outbox.due(lease, [], 100))
      await test.store.outbox.update(lease, { id, state: "sent", parts: [] });
  };

  it("is put on its way once for each key, and only by the holder of a turn", async () => {
    await test.store.inbox.record(entryOf("ask", "from"));
    const worker = await newWorker(test.store);
    const turn = await beginTurn(test.store, "from", worker);
    const say = (fence: number) =>
      test.store.turns.say({ ...turn.lease, fence }, turn.start.turnId, textOf("say:1", "elsewhere"));
    await say(turn.lease.fence);
    await say(turn.lease.fence);
    await assert.rejects(say(turn.lease.fence - 1), /another worker holds the session/);
    await completeTurn(test.store, turn);
    const rows = await test.store.outbox.due(await newAccountLease(test.store), [], 100);
    assert.equal(rows.filter(({ deliveryKey }) => deliveryKey === "say:1").length, 1);
  });

  it("is told once to the session there, after it was sent", async () => {
    const worker = await newWorker(test.store);
    await test.store.inbox.record(entryOf("first", "elsewhere"));
    const early = await claim(test.store, "elsewhere", worker);
    assert.equal(early.said, undefined, "nothing was sent yet");
    await deliverAll();
    const found = await claim(test.store, "elsewhere", worker);
    assert.deepEqual(
      found.said?.map(({ markdown }) => markdown),
      ["text of say:1"],
    );
    const start = { ...startOf(found), said: found.said?.map(({ id }) => id) ?? [] };
    await test.store.turns.begin(found.lease, start);
    await completeTurn(test.store, { lease: found.lease, claim: found, start });
    await test.store.inbox.record(entryOf("second", "elsewhere"));
    assert.equal((await claim(test.store, "elsewhere", worker)).said, undefined);
  });

  it("goes to places in which everyone has written who has to", async () => {
    const places = async (search: object) =>
      (await test.store.operations.places({ limit: 10, ...search }))
        .map(({ conversation }) => conversation.conversationId)
        .toSorted();
    const by = (userId: string) => ({ participants: [{ accountId, userId: brandAs<UserId>(userId) }] });
    assert.deepEqual(await places({}), ["elsewhere", "from"]);
    assert.deepEqual(await places(by("42")), ["elsewhere", "from"]);
    assert.deepEqual(await places(by("43")), []);
    assert.deepEqual(
      await places({ ...by("42"), participants: [...by("42").participants, ...by("43").participants] }),
      [],
    );
    assert.deepEqual(await places({ platform: "loopback", userId: "42", accountId }), ["elsewhere", "from"]);
    assert.deepEqual(await places({ platform: "loopback", groupId: "from" }), [], "it is a direct one");
    assert.deepEqual([await places({ name: "aDa" }), await places({ name: "%" })], [["elsewhere", "from"], []]);
    assert.deepEqual(await places({ platform: "telegram" }), []);
  });
});
