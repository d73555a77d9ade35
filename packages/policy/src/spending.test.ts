import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type ConversationId, type UserId } from "@talaria/protocol";
import { chargesOf, limitId, limitOf, type SpenderIdentity, type SpendingLimits } from "./index.ts";

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

  it("limit an owner by what is set for owners alone", () => {
    const owned = { ...limits, owner: { turnsPerMinute: "off", tokensPerDay: 1_000 } } as const;
    assert.deepEqual(shown(spender("owner"), owned), {
      "tokens/person/tg/42": 1_000,
      "turns/conversation/tg/-100": null,
      "tokens/account/tg": null,
    });
    assert.deepEqual(shown(spender("member"), owned), shown(spender("member")));
  });

  it("have a number that people type, each its own", () => {
    assert.equal(limitId("tokens/total"), limitId("tokens/total"));
    assert.match(limitId("tokens/total"), /^[0-9a-f]{12}$/);
    assert.notEqual(limitId("tokens/total"), limitId("money/total"));
  });

  it("are those of the account alone for a system event", () => {
    assert.deepEqual(shown(spender("guest", { role: "system" })), { "tokens/account/tg": 5_000_000 });
  });

  it("include turns a day, money a month in millionths, and what everything together may use", () => {
    const more = { turnsPerMinute: "off", turnsPerDay: 40, tokensPerDay: "off", moneyPerMonth: 2.5 } as const;
    const rich = { ...limits, person: more, conversation: more, account: more, total: more };
    assert.deepEqual(shown(spender("member"), rich), {
      "daily-turns/person/tg/42": 40,
      "money/person/tg/42": 2_500_000,
      "daily-turns/conversation/tg/-100": 40,
      "money/conversation/tg/-100": 2_500_000,
      "daily-turns/account/tg": 40,
      "money/account/tg": 2_500_000,
      "daily-turns/total": 40,
      "money/total": 2_500_000,
    });
    assert.equal(shown(spender("guest"), rich)["money/total"], 1_250_000);
    assert.deepEqual(Object.keys(shown(spender("guest", { role: "system" }), rich)), [
      "daily-turns/account/tg",
      "money/account/tg",
      "daily-turns/total",
      "money/total",
    ]);
    const windows = chargesOf(spender("member"), rich)
      .slice(0, 2)
      .map(({ unit, windowMs }) => [unit, windowMs]);
    assert.deepEqual(windows, [
      ["turns", 86_400_000],
      ["money", 30 * 86_400_000],
    ]);
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

it("a counter's key says what its limit is, and an unknown one nothing", () => {
  const all = { turnsPerMinute: 1, turnsPerDay: 1, tokensPerDay: 1, moneyPerMonth: 1 };
  const charges = chargesOf(spender("member"), {
    person: all,
    guest: all,
    conversation: all,
    account: all,
    total: all,
  });
  assert.equal(charges.length, 16);
  for (const { key, scope, unit, windowMs } of charges) assert.deepEqual(limitOf(key), { scope, unit, windowMs });
  for (const key of ["", "tokens", "toString/person/a", "tokens/everybody/a", "bytes/person/a"])
    assert.equal(limitOf(key), undefined, key);
});
