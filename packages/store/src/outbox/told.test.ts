import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import pg from "pg";
import type { NoticeTopic, OutboxText } from "../ports/outbox.ts";
import { conversationOf, createTestStore, newAccountLease, type TestStore, textOf } from "../test-store.ts";

describe("operational notices", () => {
  let test: TestStore;
  let n = 0;
  let group: string;

  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());
  beforeEach(() => {
    n += 1;
    group = `group-${n}`;
  });

  function notice(
    topic: NoticeTopic,
    more: Partial<OutboxText> & { otherwise?: string; to?: string } = {},
  ): OutboxText {
    n += 1;
    const { otherwise, to, ...rest } = more;
    return {
      ...textOf(`notice-${n}`, group),
      conversation: { ...conversationOf(group), kind: "group" },
      markdown: topic,
      operational: {
        topic,
        ...(otherwise === undefined ? {} : { otherwise }),
        ...(to === undefined ? {} : { to: brandAs<UserId>(to) }),
      },
      ...rest,
    };
  }

  async function texts(): Promise<readonly string[]> {
    const rows = await test.store.outbox.due(await newAccountLease(test.store), [], 1_000);
    return rows.filter(({ conversation }) => conversation.conversationId === group).map(({ markdown }) => markdown);
  }

  it("reach a group once an hour about each topic", async () => {
    await test.store.outbox.add([notice("failed"), notice("failed"), notice("limit")]);
    await test.store.outbox.add([notice("failed"), notice("limit"), notice("refused")]);
    assert.deepEqual(await texts(), ["failed", "limit", "refused"]);
    const rows = await test.store.outbox.due(await newAccountLease(test.store), [], 1_000);
    assert.ok(rows.every((row) => !("operational" in row)));
  });

  it("reach a group once an hour about each kind of a topic", async () => {
    const of = (kind: string) => notice("failed", { markdown: kind, operational: { topic: "failed", kind } });
    await test.store.outbox.add([of("auth"), of("auth"), of("quota")]);
    await test.store.outbox.add([of("quota"), of("auth")]);
    assert.deepEqual(await texts(), ["auth", "quota"]);
    await passes("61 minutes");
    await test.store.outbox.add([of("auth"), of("auth")]);
    assert.deepEqual(await texts(), ["auth", "quota", "auth"]);
  });

  it("that are for somebody reach each of five people once an hour", async () => {
    const all = ["u1", "u2", "u1", "u3", "u4", "u5", "u6", "u5"].map((to) => notice("refused", { to, markdown: to }));
    await test.store.outbox.add(all);
    assert.deepEqual(await texts(), ["u1", "u2", "u3", "u4", "u5"]);
    await passes("61 minutes");
    await test.store.outbox.add([notice("refused", { to: "u6", markdown: "u6" })]);
    assert.equal((await texts()).at(-1), "u6");
  });

  it("reach whoever is told alone every time, and leave the group its own", async () => {
    const privateTo = brandAs<UserId>("u1");
    await test.store.outbox.add([
      notice("refused", { privateTo }),
      notice("refused", { privateTo }),
      notice("refused"),
    ]);
    assert.deepEqual(await texts(), ["refused", "refused", "refused"]);
    const rows = await test.store.outbox.due(await newAccountLease(test.store), [], 1_000);
    const named = rows.filter(({ conversation }) => conversation.conversationId === group).map((row) => row.privateTo);
    assert.deepEqual(named, ["u1", "u1", undefined]);
  });

  it("count for every thread of a group, and for no other group and no other account", async () => {
    const { conversation } = notice("failed");
    await test.store.outbox.add([
      notice("failed"),
      notice("failed", { conversation: { ...conversation, threadId: "t1" as never } }),
      notice("failed", { conversation: { ...conversation, conversationId: "another" as never } }),
    ]);
    assert.deepEqual(await texts(), ["failed"]);
    const other = await test.store.outbox.due(await newAccountLease(test.store), [], 1_000);
    assert.equal(other.filter((row) => row.conversation.conversationId === ("another" as never)).length, 1);
  });

  it("are remembered by another process", async () => {
    await test.store.outbox.add([notice("failed")]);
    const another = test.open();
    await another.outbox.add([notice("failed")]);
    assert.deepEqual(await texts(), ["failed"]);
  });

  it("are told again after an hour, and not before", async () => {
    await test.store.outbox.add([notice("failed")]);
    await passes("59 minutes");
    await test.store.outbox.add([notice("failed")]);
    assert.equal((await texts()).length, 1);
    await passes("1 minute 1 second");
    await test.store.outbox.add([notice("failed")]);
    assert.equal((await texts()).length, 2);
  });

  it("come once when many are written at the same moment", async () => {
    const stores = [test.store, test.open(), test.open()];
    const all = Array.from({ length: 12 }, (_, index) => stores[index % 3]?.outbox.add([notice("failed")]));
    await Promise.all(all);
    assert.equal((await texts()).length, 1);
  });

  it("leave what else the text holds", async () => {
    await test.store.outbox.add([notice("failed", { markdown: "half. Failed.", otherwise: "half" })]);
    await test.store.outbox.add([notice("failed", { markdown: "more. Failed.", otherwise: "more" })]);
    await test.store.outbox.add([notice("failed", { otherwise: "" })]);
    assert.deepEqual(await texts(), ["half. Failed.", "more"]);
  });

  it("that are written twice under one key are sent once, and use the hour up once", async () => {
    const text = notice("failed");
    await test.store.outbox.add([text]);
    await test.store.outbox.add([text]);
    assert.deepEqual(await texts(), ["failed"]);
  });

  it("all reach a direct conversation", async () => {
    const conversation = conversationOf(group);
    await test.store.outbox.add([notice("failed", { conversation }), notice("failed", { conversation })]);
    assert.deepEqual(await texts(), ["failed", "failed"]);
  });

  it("are forgotten when nothing is limited by them any more", async () => {
    await test.store.outbox.add([notice("failed")]);
    await passes("25 hours");
    await test.store.operations.prune(90, new AbortController().signal);
    assert.equal((await query("select from told where conversation_id = $1", [group])).rowCount, 0);
  });

  async function passes(interval: string): Promise<void> {
    await query("update told set told_at = told_at - $2::interval where conversation_id = $1", [group, interval]);
  }

  async function query(text: string, values: readonly string[]): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    try {
      return await client.query(text, [...values]);
    } finally {
      await client.end();
    }
  }
});
