import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import { createTestStore, entryOf, keyOf, type TestStore } from "../../../../packages/store/src/test-store.ts";
import { isAbout, type LogSubject, readSubject, type Wanted } from "./log-subject.ts";

/** `acct` is the account of all events. */
const entries = [
  { accountId: "acct", eventId: "of-ada", sessionKey: keyOf("direct-ada"), msg: "event recorded" },
  { sessionKey: keyOf("direct-ada"), turnId: "t1", msg: "turn finished" },
  { accountId: "acct", conversationId: "team", senderId: "ada", msg: "not answered" },
  { accountId: "acct", conversationId: "team", senderId: "bob", eventId: "of-bob", msg: "not answered" },
  { accountId: "acct", conversationId: "direct-ada", msg: "shown" },
  { accountId: "acct", conversationId: "team", msg: "shown there" },
  { accountId: "other", eventId: "of-ada", conversationId: "direct-ada", senderId: "ada", msg: "elsewhere" },
  { sessionKey: keyOf("team"), turnId: "t2", msg: "turn of the group" },
  { msg: "of nobody" },
];

describe("the lines of the log about somebody", () => {
  let test: TestStore;

  before(async () => {
    test = await createTestStore();
    const said = async (id: string, place: string, user: string, kind: "direct" | "group") => {
      const entry = entryOf(id, place);
      const sender = { ...entry.event.sender, userId: brandAs<UserId>(user), displayName: `${user} Byron` };
      const conversation = { ...entry.event.conversation, kind };
      await test.store.inbox.record({ ...entry, event: { ...entry.event, sender, conversation } });
    };
    await said("of-ada", "direct-ada", "ada", "direct");
    await said("of-bob", "team", "bob", "group");
    await said("ada-in-team", "team", "ada", "group");
  });
  after(() => test[Symbol.asyncDispose]());

  async function shown(wanted: Wanted): Promise<readonly string[]> {
    const subject = await subjectOf(wanted);
    assert.ok(typeof subject === "object");
    return entries.filter((entry) => isAbout(entry, subject)).map(({ msg }) => msg);
  }

  async function subjectOf(wanted: Wanted): Promise<LogSubject | string> {
    const before = process.env.DATABASE_URL;
    process.env.DATABASE_URL = test.url;
    try {
      return await readSubject({ home: "/nowhere" }, wanted);
    } finally {
      if (before === undefined) delete process.env.DATABASE_URL;
      else process.env.DATABASE_URL = before;
    }
  }

  it("are those of their messages, and of what nobody else writes in", async () => {
    assert.deepEqual(await shown({ person: "ada" }), ["event recorded", "turn finished", "not answered", "shown"]);
  });

  it("are in a group those about themselves alone", async () => {
    assert.deepEqual(await shown({ person: "acct/bob" }), ["not answered"]);
    assert.deepEqual(await shown({ person: "ada", conversation: "team" }), ["not answered"]);
  });

  it("are for a conversation everybody's", async () => {
    assert.deepEqual(await shown({ conversation: "team" }), [
      "not answered",
      "not answered",
      "shown there",
      "turn of the group",
    ]);
  });

  it("name all who may be meant, and nobody who has not written", async () => {
    const subject = await subjectOf({ person: "byrön" });
    assert.ok(typeof subject === "object");
    assert.deepEqual(subject.people.map(({ senderId }) => senderId).sort(), ["ada", "bob"]);
    assert.equal(await subjectOf({ person: "carol" }), 'nobody is known as "carol": see `talaria people`');
    assert.equal(
      await subjectOf({ person: "ada byran" }),
      'nobody is known as "ada byran": did you mean "ada Byron" (ada)?',
    );
    assert.match(
      String(await subjectOf({ person: "ada", conversation: "elsewhere" })),
      /^no conversation is known as "elsewhere"/,
    );
  });
});
