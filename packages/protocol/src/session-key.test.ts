import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Conversation } from "./conversation.ts";
import { type AccountId, brandAs, type ConversationId, type ThreadId, type UserId } from "./ids.ts";
import type { Sender } from "./sender.ts";
import { changingKindOf, sessionKeyOf, turnIdOf } from "./session-key.ts";

const conversation: Conversation = {
  accountId: brandAs<AccountId>("main"),
  platform: "matrix",
  conversationId: brandAs<ConversationId>("!room/1:example.org"),
  threadId: brandAs<ThreadId>("$t:1"),
  kind: "group",
};
const ada: Sender = { userId: brandAs<UserId>("@ada:x"), role: "person", displayName: "Ada", assurance: "platform" };

describe("sessionKeyOf", () => {
  it("shares a memory by conversation, by thread or with one sender alone", () => {
    assert.equal(sessionKeyOf(conversation, ada, "conversation"), "main/!room%2F1%3Aexample.org/g");
    assert.equal(sessionKeyOf(conversation, ada, "thread"), "main/!room%2F1%3Aexample.org/g/t/%24t%3A1");
    assert.equal(sessionKeyOf(conversation, ada, "sender"), "main/!room%2F1%3Aexample.org/g/t/%24t%3A1/u/%40ada%3Ax");
  });

  it("keeps what was said in private apart where a conversation may become a group, and nowhere else", () => {
    const keysOf = (platform: Conversation["platform"]) =>
      (["direct", "group"] as const).map((kind) => sessionKeyOf({ ...conversation, platform, kind }, ada, "thread"));
    const [direct, group] = keysOf("matrix");
    assert.notEqual(direct, group);
    assert.equal(new Set(keysOf("slack")).size, 1);
  });

  it("tells the sessions of another kind by how their keys begin", () => {
    const direct = { ...conversation, kind: "direct" } as const;
    assert.deepEqual(changingKindOf(direct), { base: "main/!room%2F1%3Aexample.org", isGroup: false });
    const base = changingKindOf(conversation)?.base;
    for (const scope of ["conversation", "thread", "sender"] as const) {
      assert.match(`${sessionKeyOf(conversation, ada, scope)}/`, new RegExp(`^${base}/g/`));
      assert.match(`${sessionKeyOf(direct, ada, scope)}/`, new RegExp(`^${base}/(?!g/)`));
    }
    assert.equal(changingKindOf({ ...conversation, platform: "slack" }), undefined);
  });

  it("cannot be forged by ids that look like several segments", () => {
    const inGroup = (id: string): Conversation => ({
      accountId: conversation.accountId,
      platform: "matrix",
      conversationId: brandAs<ConversationId>(id),
      kind: "group",
    });
    const forged = sessionKeyOf(inGroup("a/u/@ada:x"), ada, "conversation");
    assert.notEqual(forged, sessionKeyOf(inGroup("a"), ada, "sender"));
  });

  it("never contains a colon, so that it may be a job id", () => {
    assert.ok(!sessionKeyOf(conversation, ada, "sender").includes(":"));
  });
});

describe("turnIdOf", () => {
  it("names the same turn each time, and another one for another session or event", () => {
    const key = sessionKeyOf(conversation, ada, "thread");
    assert.equal(turnIdOf(key, 7), turnIdOf(key, 7));
    assert.notEqual(turnIdOf(key, 7), turnIdOf(key, 8));
    assert.notEqual(turnIdOf(key, 7), turnIdOf(sessionKeyOf(conversation, ada, "conversation"), 7));
    assert.ok(turnIdOf(key, Number.MAX_SAFE_INTEGER).length <= 40);
  });
});
