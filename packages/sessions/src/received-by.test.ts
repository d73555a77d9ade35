import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type AccountPolicy, brandAs, type InboundEvent, sessionKeyOf, type UserId } from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { createTestStore, type TestStore } from "../../store/src/test-store.ts";
import { receivedBy } from "./received-by.ts";
import { policyWith } from "./testing/policy.ts";

const [ada, bob] = ["ada@people.test", "bob@people.test"].map((address) => brandAs<UserId>(address)) as [
  UserId,
  UserId,
];
const listing = (...users: readonly UserId[]): AccountPolicy =>
  policyWith({ access: { direct: "allowlist", allow: { users, groups: [] } } });

describe("a message that somebody shows to the agent by answering it", () => {
  let test: TestStore;
  let shown: ReturnType<typeof messageFrom>;

  before(async () => {
    test = await createTestStore();
    const said = messageFrom({ from: bob, conversation: bob, text: "at nine" });
    shown = { ...said, message: { ...said.message, recipients: [ada] } };
    await test.store.inbox.record({
      sessionKey: sessionKeyOf(shown.conversation, shown.sender, "thread"),
      event: shown,
      route: shown.conversation,
      mode: "queue",
      role: "member",
    });
  });
  after(() => test[Symbol.asyncDispose]());

  const asking = (from: UserId, assurance: "signed" | "claimed" = "signed"): InboundEvent => {
    const event = messageFrom({ from, conversation: from });
    return { ...event, sender: { ...event.sender, assurance } };
  };
  const received = (from: InboundEvent, policy: AccountPolicy | undefined) =>
    receivedBy(from, [shown.message.messageId], {
      inbox: test.store.inbox,
      pairing: test.store.pairing,
      policyOf: () => policy,
    });

  it("is theirs who got it, with whoever wrote it", async () => {
    const found = await received(asking(ada), listing(ada, bob));
    assert.deepEqual([found?.quote.markdown, found?.sender.userId], ["at nine", bob]);
  });

  const others: readonly [string, InboundEvent, AccountPolicy | undefined][] = [
    [
      "somebody who did not get it",
      asking(brandAs<UserId>("eve@people.test")),
      policyWith({ access: { direct: "open" } }),
    ],
    ["somebody who only claims to be one of them", asking(ada, "claimed"), policyWith({ access: { direct: "open" } })],
    ["one of them, once its author may not be heard any more", asking(ada), listing(ada)],
    ["anybody at an account that is gone", asking(ada), undefined],
  ];
  for (const [whom, from, policy] of others)
    it(`is nothing to ${whom}`, async () => assert.equal(await received(from, policy), undefined));
});
