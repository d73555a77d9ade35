import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type InboundEvent, type MessageId, type UserId } from "@talaria/protocol";
import pg from "pg";
import { connectionConfig } from "../database/connection-config.ts";
import { askAccess, letIn } from "../test-people.ts";
import {
  beginTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newWorker,
  type TestStore,
  textOf,
} from "../test-store.ts";

describe("what became of the last messages", () => {
  let test: TestStore;

  const from = (event: InboundEvent, user: string, displayName = user): InboundEvent => ({
    ...event,
    sender: { ...event.sender, userId: brandAs<UserId>(user), displayName },
  });

  before(async () => {
    test = await createTestStore();
    const { inbox } = test.store;
    await inbox.settle({ event: from(eventOf("e1", "g1"), "42"), outcome: "refused", reason: "not_allowed" });
    await inbox.settle({ event: from(eventOf("e2", "g1"), "42"), outcome: "ignored", reason: "not_addressed" });
    await inbox.record({ ...entryOf("e3", "c1"), event: from(eventOf("e3", "c1"), "7", "Ada Lovelace") });
    const zoe = from(eventOf("e4", "c2"), "8", "Zoë Mu\u0308ller");
    await inbox.record({ ...entryOf("e4", "c2"), event: { ...zoe, sender: { ...zoe.sender, handle: "zoe_m" } } });
  });
  after(() => test[Symbol.asyncDispose]());

  const idsOf = async (query: Omit<Parameters<typeof test.store.operations.recent>[0], "limit">, limit = 10) =>
    (await test.store.operations.recent({ ...query, limit })).map(({ eventId }) => eventId);

  for (const [what, query, ids] of [
    ["everything, the newest first", {}, ["e4", "e3", "e2", "e1"]],
    ["what was meant for the agent", { toUsOnly: true }, ["e4", "e3", "e1"]],
    ["a person by id", { person: "42" }, ["e2", "e1"]],
    ["a person by account and id", { person: "acct/7" }, ["e3"]],
    ["a person by a part of the name", { person: "lovelace" }, ["e3"]],
    ["a conversation", { conversation: "g1" }, ["e2", "e1"]],
    ["either of both", { either: "c2" }, ["e4"]],
    ["a person without the accents of the name", { either: "zoe muller" }, ["e4"]],
    ["a person with other accents", { person: "ADÁ" }, ["e3"]],
    ["a person by username", { either: "@Zoe_M" }, ["e4"]],
    ["nobody", { person: "%" }, []],
  ] as const)
    it(`finds ${what}`, async () => assert.deepEqual(await idsOf(query), ids));

  it("finds a person by the beginning of the id among those who asked", async () => {
    const words = { all: "hi", files: "hi", words: "hi" };
    await test.store.pairing.add({
      accountId: brandAs("acct"),
      userId: brandAs<UserId>("7"),
      welcome: words,
      answering: words,
    });
    const [row] = await test.store.pairing.list();
    assert.deepEqual(await idsOf({ person: row?.id.slice(0, 8).toUpperCase() ?? "" }), ["e3"]);
    assert.deepEqual(await idsOf({ either: row?.id ?? "" }), ["e3"]);
    assert.deepEqual(await idsOf({ person: row?.id.slice(0, 3) ?? "" }), []);
  });

  it("finds a person as the configuration names them, and by the code that they were shown", async () => {
    const client = new pg.Client(connectionConfig(test.url));
    await client.connect();
    try {
      await client.query(
        "insert into account (account_id, platform, holder, fence, lease_until) values ('acct', 'telegram', 'h', 1, now())",
      );
      assert.deepEqual(await idsOf({ person: "telegram:user:42" }), ["e2", "e1"]);
      assert.deepEqual(await idsOf({ either: "telegram:user:4" }), []);
      const asked = await askAccess(test.store.pairing, { account: "acct", id: "42" });
      assert.ok(asked.outcome === "code");
      assert.deepEqual(await idsOf({ either: asked.code.toLowerCase() }), ["e2", "e1"]);
    } finally {
      await client.end();
    }
  });

  it("knows that whoever was refused has been let in since, and what was taken up then", async () => {
    const { inbox, pairing } = test.store;
    const later = async () => {
      const events = await test.store.operations.recent({ person: "stranger", limit: 10 });
      return events.map(({ eventId, became }) => [eventId, "later" in became ? became.later : became.state]);
    };
    const [first, second] = ["s1", "s2"].map((id) => from(eventOf(id, "s"), "stranger"));
    assert.ok(first && second);
    const asked = await askAccess(pairing, {
      ...{ account: "acct", id: "stranger", eventId: first.id },
      said: { ...entryOf("s1", "s"), event: first },
    });
    assert.ok(asked.outcome === "code");
    for (const event of [first, second]) await inbox.settle({ event, outcome: "refused", reason: "pairing_code" });
    assert.deepEqual(await later(), [
      ["s2", "refused"],
      ["s1", "refused"],
    ]);
    await letIn(pairing, asked.code);
    assert.deepEqual(await later(), [
      ["s1~let-in", "waiting"],
      ["s2", "let_in"],
      ["s1", "taken_up"],
    ]);
  });

  it("finds by name and username whoever was refused, or gave a command, and nobody by what is said among others", async () => {
    const { inbox } = test.store;
    const bob = (id: string): InboundEvent => {
      const event = from(eventOf(id, "g9"), "10003", "Bob\u0007 \n Miller");
      return { ...event, sender: { ...event.sender, handle: "bob_m" } };
    };
    await inbox.settle({ event: bob("b1"), outcome: "refused", reason: "group_not_allowed" });
    await inbox.settle({ event: bob("b2"), outcome: "command", reason: "command:help" });
    await inbox.settle({ event: bob("b3"), outcome: "ignored", reason: "not_addressed" });
    for (const either of ["bob miller", "@Bob_M"]) assert.deepEqual(await idsOf({ either }), ["b2", "b1"]);
    const [newest] = await test.store.operations.recent({ person: "10003", toUsOnly: true, limit: 1 });
    assert.equal(newest?.senderName, "Bob Miller");
    assert.equal(newest?.isPress, undefined);
    const { message: _, ...rest } = bob("b5") as Extract<InboundEvent, { type: "message.created" }>;
    const press = { ...rest, type: "action.invoked", messageId: brandAs<MessageId>("m1"), actionId: "yes" } as const;
    await inbox.settle({ event: press, outcome: "refused", reason: "not_allowed" });
    assert.equal((await test.store.operations.recent({ person: "10003", limit: 1 }))[0]?.isPress, true);
    const long = from(eventOf("b4", "g9"), "10004", `Zed ${"z".repeat(5_000)}`);
    await inbox.settle({ event: long, outcome: "refused", reason: "pairing_blocked" });
    const [cut] = await test.store.operations.recent({ either: "zed", limit: 1 });
    assert.equal(cut?.senderName?.length, 100);
  });

  it("keeps to the limit", async () => assert.deepEqual(await idsOf({ person: "42" }, 1), ["e2"]));

  it("knows of a failed message whether it is the last, who wrote it, and when its group had been told", async () => {
    const worker = await newWorker(test.store);
    const fail = async (id: string, reason: string) => {
      const entry = entryOf(id, "g7");
      const conversation = { ...entry.event.conversation, kind: "group" as const };
      await test.store.inbox.record({
        ...entry,
        role: "guest",
        event: { ...entry.event, conversation },
        route: conversation,
      });
      const { start, lease } = await beginTurn(test.store, "g7", worker);
      const text = { ...textOf(`reply:${id}`, "g7"), kind: "reply" as const, conversation, turnId: start.turnId };
      const outbox = [{ ...text, operational: { topic: "failed" as const, kind: reason } }];
      const end = { turnId: start.turnId, outcome: "failed", reason, entries: [], outbox } as const;
      if (!(await test.store.turns.commit(lease, end)).released) await test.store.turns.release(lease);
    };
    await fail("f1", "auth");
    await fail("f2", "auth");
    await fail("f3", "quota");
    const known = (await test.store.operations.recent({ conversation: "g7", limit: 9 })).map(({ role, became }) => {
      assert.ok(became.state === "ended");
      const { isLast = false, reply } = became;
      return [role, isLast, reply.state, "toldAt" in reply];
    });
    assert.deepEqual(known, [
      ["guest", true, "pending", false],
      ["guest", false, "none", true],
      ["guest", false, "pending", false],
    ]);
  });

  it("follows a message from its inbox to its answer", async () => {
    const client = new pg.Client(connectionConfig(test.url));
    await client.connect();
    const becameNow = async () => (await test.store.operations.recent({ conversation: "c1", limit: 1 }))[0]?.became;
    try {
      const key = keyOf("c1");
      assert.deepEqual(await becameNow(), { state: "waiting", for: "worker" });
      await client.query(
        "update inbox set deferred_until = clock_timestamp() + interval '1 hour' where session_key = $1",
        [key],
      );
      assert.deepEqual(await becameNow(), { state: "waiting", for: "parts" });
      await client.query("update session set open_turn = 'other' where session_key = $1", [key]);
      assert.deepEqual(await becameNow(), { state: "waiting", for: "turn" });
      await client.query("update session set set_aside_at = clock_timestamp() where session_key = $1", [key]);
      assert.deepEqual(await becameNow(), { state: "waiting", for: "retry" });
      await client.query(
        "insert into turn (turn_id, session_key, generation, first_seq, last_seq, fence, route) values ('t1', $1, 1, 1, 1, 1, '{}')",
        [key],
      );
      await client.query("update inbox set turn_id = 't1' where session_key = $1", [key]);
      const running = await becameNow();
      assert.ok(running?.state === "running" && !running.isAsking);
      await client.query("update turn set state = 'failed', reason = 'auth', ended_at = clock_timestamp()");
      const ended = await becameNow();
      assert.ok(ended?.state === "ended");
      assert.deepEqual([ended.outcome, ended.reason, ended.reply], ["failed", "auth", { state: "none" }]);
      await client.query(
        `insert into outbox (delivery_key, account_id, conversation_id, kind, turn_id, body, parts)
         values ('k', 'acct', 'c1', 'reply', 't1', '{}', '[{"lastFailure":{"code":"unavailable","reason":"ECONNREFUSED"}}]')`,
      );
      const reply = async () => {
        const now = await becameNow();
        return now?.state === "ended" ? now.reply : undefined;
      };
      assert.deepEqual(await reply(), { state: "pending", code: "unavailable", reason: "ECONNREFUSED" });
      await client.query("update outbox set state = 'failed', error = 'forbidden'");
      assert.deepEqual(await reply(), { state: "failed", error: "forbidden" });
      await client.query("update outbox set state = 'sent', settled_at = clock_timestamp()");
      assert.equal((await reply())?.state, "sent");
      await client.query("update inbox set turn_id = null, reason = 'set_aside' where session_key = $1", [key]);
      assert.deepEqual(await becameNow(), { state: "dropped", reason: "set_aside" });
    } finally {
      await client.end();
    }
  });
});
