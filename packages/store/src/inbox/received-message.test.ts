import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type AccountId,
  type Attachment,
  brandAs,
  type MediaRef,
  type MessageId,
  type UserId,
} from "@talaria/protocol";
import pg from "pg";
import { accountId, createTestStore, entryOf, type TestStore } from "../test-store.ts";

const ada = brandAs<UserId>("ada@people.test");
const bob = brandAs<UserId>("bob@people.test");
const eve = brandAs<UserId>("eve@people.test");
const picture: Attachment = { kind: "image", mimeType: "image/png", ref: brandAs<MediaRef>("1 2 2 <m@x>") };

describe("a message that others got too", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  const id = (name: string) => brandAs<MessageId>(`<${name}@people.test>`);

  /** A mail of somebody's to the account and to others. */
  async function mailed(
    name: string,
    from: UserId,
    recipients: readonly UserId[] | undefined,
    { as = name, markdown = `words of ${name}`, attachments = [] as readonly Attachment[] } = {},
  ): Promise<void> {
    const { event, ...entry } = entryOf(`event-${name}`, from);
    assert.ok(event.type === "message.created");
    const message = { ...event.message, messageId: id(as), markdown, attachments };
    const sender = { ...event.sender, userId: from, displayName: `The ${from}` };
    await test.store.inbox.record({
      ...entry,
      event: { ...event, sender, message: { ...message, ...(recipients === undefined ? {} : { recipients }) } },
    });
  }

  const received = (reader: UserId, ...names: readonly string[]) =>
    test.store.inbox.received(accountId, reader, names.map(id));

  it("is known to those who got it, with its words, its files and its sender", async () => {
    await mailed("plan", bob, [ada], { markdown: "at nine", attachments: [picture] });
    const found = await received(ada, "plan");
    assert.deepEqual(found?.quote, {
      userId: bob,
      displayName: `The ${bob}`,
      markdown: "at nine",
      attachments: [picture],
    });
    assert.equal(found.sender.userId, bob);
    assert.equal(found.conversation.accountId, accountId);
    assert.deepEqual((await received(bob, "plan"))?.quote, found.quote, "and to whoever wrote it");
  });

  it("is nothing to anybody else, whatever they name", async () => {
    assert.equal(await received(eve, "plan"), undefined);
    assert.equal(await test.store.inbox.received(brandAs<AccountId>("other"), ada, [id("plan")]), undefined);
    assert.equal(await received(ada), undefined);
    await mailed("private", bob, undefined);
    await mailed("to-eve", bob, [eve]);
    assert.equal(await received(ada, "private", "to-eve"), undefined);
    assert.equal(
      (await received(ada, "private", "nobody", "plan"))?.quote.markdown,
      "at nine",
      "the first that is hers",
    );
  });

  it("is the first of those that are named, and of several under one id the oldest", async () => {
    await mailed("later", bob, [ada]);
    assert.equal((await received(ada, "later", "plan"))?.quote.markdown, "words of later");
    await mailed("copy", eve, [ada], { as: "plan", markdown: "at ten" });
    assert.equal((await received(ada, "plan"))?.quote.markdown, "at nine");
  });

  it("is cut where it is long, and names twenty files at most", async () => {
    await mailed("long", bob, [ada], {
      markdown: "x".repeat(50_000),
      attachments: Array.from({ length: 30 }, () => picture),
    });
    const { markdown = "", attachments = [] } = (await received(ada, "long"))?.quote ?? {};
    assert.deepEqual([markdown.length, attachments.length], [20_002, 20]);
  });

  it("is found by its id among very many, without reading the others", async () => {
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    try {
      await client.query("set search_path to talaria");
      await client.query(
        `
        insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
        select 'many-' || n, $1, 'many', '<many-' || n || '@people.test>', 'many', now(), now()
          from generate_series(1, 20000) as n`,
        [accountId],
      );
      await client.query("analyze seen");
      const { rows } = await client.query<{ readonly "QUERY PLAN": string }>(
        "explain select event_id from seen where message_id = '<many-7@people.test>' and account_id = $1",
        [accountId],
      );
      assert.match(rows.map((row) => row["QUERY PLAN"]).join("\n"), /Index Scan using seen_message/);
    } finally {
      await client.end();
    }
    assert.equal(
      (await received(ada, ...Array.from({ length: 49 }, (_, n) => `many-${n}`), "plan"))?.quote.userId,
      bob,
    );
    const tooMany = Array.from({ length: 50 }, (_, n) => `many-${n}`);
    assert.equal(await received(ada, ...tooMany, "plan"), undefined, "no more than 50 ids count");
  });
});
