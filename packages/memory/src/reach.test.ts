import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type Conversation, type SessionKey } from "@talaria/protocol";
import { audienceFor, reachOf } from "./reach.ts";
import { askerOf } from "./testing/fact-of.fixture.ts";

const sessionKey = brandAs<SessionKey>("acct/c");
const ada = askerOf("ada", "member");
const olga = askerOf("olga", "owner");

function talk(kind: Conversation["kind"], more: Partial<Conversation> = {}): Conversation {
  return { accountId: brandAs("acct"), platform: "telegram", conversationId: brandAs("c"), kind, ...more };
}

const scopesOf = (conversation: Conversation, askers = [ada]) =>
  reachOf({ sessionKey, conversation, askers })?.subjects.map(({ scope, key }) => `${scope} ${key}`);

describe("what may be seen and taught", () => {
  it("is a person's own and their workspace's in private, and the group's own in a group", () => {
    assert.deepEqual(scopesOf(talk("direct")), ["agent ", "person acct/ada", "workspace acct/c"]);
    assert.deepEqual(scopesOf(talk("group"), [ada, olga]), ["agent ", "group acct/c"]);
  });

  it("is nothing where nobody is known for certain, or several speak in private", () => {
    const claimed = { ...ada, sender: { ...ada.sender, assurance: "claimed" } } as const;
    const bot = { ...ada, sender: { ...ada.sender, role: "bot" } } as const;
    for (const askers of [[], [ada, olga], [claimed], [bot]]) assert.equal(scopesOf(talk("direct"), askers), undefined);
    assert.equal(scopesOf(talk("direct", { platform: "webhook" })), undefined);
    assert.equal(scopesOf(talk("group", { guest: true })), undefined);
  });

  it("is for everybody only where owners alone say it outside of a private conversation", () => {
    const of = (
      kind: "direct" | "group",
      askers: readonly (typeof ada)[],
      subject = { scope: "agent", key: "" } as const,
    ) => {
      const reach = reachOf({ sessionKey, conversation: talk(kind), askers });
      assert.ok(reach);
      return audienceFor(subject, reach, askers).audience;
    };
    assert.equal(of("group", [olga]), undefined);
    for (const audience of [of("group", [olga, ada]), of("group", [ada]), of("direct", [olga])])
      assert.deepEqual(audience, ["acct/c"]);
    assert.equal(of("group", [ada], { scope: "group", key: "acct/c" } as never), undefined);
  });
});
