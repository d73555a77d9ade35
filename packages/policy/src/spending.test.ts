import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type ConversationId, type UserId } from "@talaria/protocol";
import { chargesOf, type SpenderIdentity, type SpendingLimits } from "./index.ts";

const limits: SpendingLimits = {
  person: { turnsPerMinute: 10, tokensPerDay: 500_000 },
  guest: { turnsPerMinute: 3, tokensPerDay: 100_000 },
  conversation: { turnsPerMinute: 20, tokensPerDay: "off" },
  account: { turnsPerMinute: "off", tokensPerDay: 5_000_000 },
};

function spender(role: SpenderIdentity["role"], more: Partial<SpenderIdentity["sender"]> = {}): SpenderIdentity {
  return {
    role,
    accountId: brandAs<AccountId>("tg"),
    conversationId: brandAs<ConversationId>("-100"),
    sender: { userId: brandAs<UserId>("42"), role: "person", assurance: "platform", ...more },
  };
}

/** `key: max`, which says everything else too. */
function shown(identity: SpenderIdentity, of: SpendingLimits = limits): Record<string, number | null> {
  return Object.fromEntries(chargesOf(identity, of).map(({ key, max }) => [key, max]));
}

describe("the charges of a sender", () => {
  it("are its own, then those of the conversation, then those of the account", () => {
    assert.deepEqual(Object.entries(shown(spender("member"))), [
      ["turns/person/tg/42", 10],
      ["tokens/person/tg/42", 500_000],
      ["turns/conversation/tg/-100", 20],
      ["tokens/account/tg", 5_000_000],
    ]);
  });

  it("leave a guest half of what is shared, and at least one", () => {
    assert.deepEqual(shown(spender("guest")), {
      "turns/person/tg/42": 3,
      "tokens/person/tg/42": 100_000,
      "turns/conversation/tg/-100": 10,
      "tokens/account/tg": 2_500_000,
    });
    const one = { ...limits, conversation: { turnsPerMinute: 1, tokensPerDay: "off" as const } };
    assert.equal(shown(spender("guest"), one)["turns/conversation/tg/-100"], 1);
  });

  it("count an owner without a limit", () => {
    assert.deepEqual([...new Set(Object.values(shown(spender("owner"))))], [null]);
  });

  it("are those of the account alone for a system event", () => {
    assert.deepEqual(shown(spender("guest", { role: "system" })), { "tokens/account/tg": 5_000_000 });
  });

  it("put all senders with an unchecked id on one counter", () => {
    const one = shown(spender("guest", { userId: brandAs<UserId>("a@b.test"), assurance: "claimed" }));
    const other = shown(spender("guest", { userId: brandAs<UserId>("c@d.test"), assurance: "claimed" }));
    assert.deepEqual(one, other);
    assert.equal(one["turns/person/tg/(unverified)"], 3);
  });

  it("count nothing that is off, and allow nothing at 0", () => {
    const off = { turnsPerMinute: "off", tokensPerDay: "off" } as const;
    const none = {
      person: off,
      guest: { turnsPerMinute: 0, tokensPerDay: "off" },
      conversation: off,
      account: off,
    } as const;
    assert.deepEqual(shown(spender("member"), none), {});
    assert.deepEqual(shown(spender("guest"), none), { "turns/person/tg/42": 0 });
  });
});
