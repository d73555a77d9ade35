import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type ProcessId, type UserId } from "@talaria/protocol";
import pg from "pg";
import {
  accountId,
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newAccountLease,
  newWorker,
  startOf,
  type TestStore,
  textOf,
} from "../test-store.ts";

describe("what is said in another conversation", () => {
  let test: TestStore;
  let worker: ProcessId;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    worker = await newWorker(test.store);
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  /** As a gateway that delivers everything at once. */
  const deliverAll = async () => {
    const lease = await newAccountLease(test.store);
    for (const { id } of await test.store.outbox.due(lease, [], 100))
      await test.store.outbox.update(lease, { id, state: "sent", parts: [] });
  };

  it("is put on its way once for each key, and only by the holder of a turn", async () => {
    await test.store.inbox.record(entryOf("ask", "from"));
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

  it("is told again to the turn that answers again, and to none after a worker died of it", async () => {
    const retry = (id: string) =>
      test.store.inbox.settle({
        event: eventOf(id, "elsewhere"),
        outcome: "command",
        reason: "command:retry",
        effect: { kind: "retry", sessionKey: keyOf("elsewhere") },
      });
    const told = async (turnId: string, reason: string) => {
      await client.query(
        "update outbox set body = body || jsonb_build_object('toldIn', $1::text) where body ? 'isSaid'",
        [turnId],
      );
      await client.query("update turn set reason = $2 where turn_id = $1", [turnId, reason]);
    };
    const turn = await beginTurn(test.store, "elsewhere", worker);
    await completeTurn(test.store, turn);
    await told(turn.start.turnId, "");
    await retry("again");
    assert.equal((await claim(test.store, "elsewhere", worker)).said?.length, 1);
    await told(turn.start.turnId, "crash_loop");
    assert.equal((await claim(test.store, "elsewhere", worker)).said, undefined);
  });

  it("is sought among the newest texts alone, however many a conversation has", async () => {
    await client.query("update outbox set body = body - 'toldIn' where body ? 'isSaid'");
    assert.equal((await claim(test.store, "elsewhere", worker)).said?.length, 1);
    await client.query(
      `insert into outbox (delivery_key, account_id, conversation_id, kind, body, state)
       select 'busy:' || n, account_id, conversation_id, kind, body - 'isSaid', state
         from outbox, generate_series(1, 500) as n where delivery_key = 'say:1'`,
    );
    assert.equal((await claim(test.store, "elsewhere", worker)).said, undefined);
  });

  it("is not sent any more once a person has ended the turn", async () => {
    await test.store.inbox.record(entryOf("stopped", "from"));
    const { lease, start } = await beginTurn(test.store, "from", worker);
    await test.store.inbox.settle({
      event: eventOf("stop", "from"),
      outcome: "command",
      reason: "command:stop",
      effect: { kind: "stop", sessionKey: keyOf("from") },
    });
    const say = test.store.turns.say(lease, start.turnId, textOf("say:2", "elsewhere"));
    await assert.rejects(say, /somebody has ended this turn/);
    assert.equal((await client.query("select from outbox where delivery_key = 'say:2'")).rowCount, 0);
  });

  it("finds places of a member on an account beside busier ones", async () => {
    const participants = [{ accountId, userId: brandAs<UserId>("42") }];
    await client.query(
      `insert into session (session_key, conversation, created_at)
       select 'busy/' || n, jsonb_build_object('accountId', 'busy', 'platform', 'loopback', 'kind', 'group',
                                               'conversationId', n::text), now() + interval '1 hour'
         from generate_series(1, 20000) as n`,
    );
    assert.equal((await test.store.operations.places({ participants, limit: 10 })).length, 2);
    const elsewhere = { accountId: "busy", participants, limit: 10 };
    assert.equal((await test.store.operations.places(elsewhere)).length, 0);
    await client.query("delete from session where session_key like 'busy/%'");
  });

  it("takes part who is known to have written, as the newest events tell", async () => {
    const places = async (userId: string) =>
      await test.store.operations.places({ participants: [{ accountId, userId: brandAs<UserId>(userId) }], limit: 10 });
    await client.query(
      `insert into session (session_key, conversation, last_seq)
       select 'talk', conversation || '{"conversationId": "talk"}', 3 from session where session_key = $1`,
      [keyOf("from")],
    );
    const written = (seq: number, userId: string, assurance: string) =>
      client.query(
        `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at, turn_id)
         values ('talk', $1::integer, $2, 'talk-' || $1::integer, 'talk', 'queue',
                 jsonb_build_object('sender', jsonb_build_object('userId', $3::text, 'role', 'person', 'assurance', $4::text)), now(), 'x')`,
        [seq, accountId, userId, assurance],
      );
    await written(1, "71", "platform");
    await written(2, "72", "claimed");
    assert.deepEqual([(await places("71")).length, (await places("72")).length], [1, 0]);
    await client.query("update session set last_seq = 501 where session_key = 'talk'");
    assert.equal((await places("71")).length, 0, "they may have left since");
    await client.query("delete from inbox where session_key = 'talk'");
    await client.query("delete from session where session_key = 'talk'");
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
    const called = eventOf("called", "-guest:1");
    const event = { ...called, conversation: { ...called.conversation, guest: true as const } };
    await test.store.inbox.record({ ...entryOf("called", "-guest:1"), event });
    assert.deepEqual(await places({}), ["elsewhere", "from"], "and not to one that it was called into");
  });
});
