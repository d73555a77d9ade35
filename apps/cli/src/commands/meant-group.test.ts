import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type ConversationId, instantOf } from "@talaria/protocol";
import type { MetGroup } from "@talaria/store";
import { type GroupRules, meantGroup } from "./meant-group.ts";

const group = (accountId: string, id: string, title?: string): MetGroup => ({
  accountId: brandAs<AccountId>(accountId),
  conversationId: brandAs<ConversationId>(id),
  platform: "telegram",
  ...(title === undefined ? {} : { title }),
  messages: 1,
  lastAt: instantOf(0),
});
const met = [
  group("main", "-1", "Team "),
  group("main", "-2", "Ops"),
  group("other", "-3", "ops"),
  group("other", "-4", "-1"),
  group("other", "-5"),
];
const accounts = ["main", "other"].map(
  (accountId): GroupRules => ({ accountId, platform: "telegram", groups: "allowlist", listed: [] }),
);
const meant = (words: string) => {
  const { accountId, conversationId } = meantGroup(words, met, accounts);
  return `${accountId}/${conversationId}`;
};

describe("the group that an operator means", () => {
  for (const [words, expected] of [
    ["-5", "other/-5"],
    ["main/-2", "main/-2"],
    ["team", "main/-1"],
    [" Main/Team", "main/-1"],
    ["other/OPS", "other/-3"],
    ["main/-9", "main/-9"],
  ] as const)
    it(`is ${expected} for ${JSON.stringify(words)}`, () => assert.equal(meant(words), expected));

  it("is the one with the id where a title says the same", () => assert.equal(meant("-1"), "main/-1"));

  it("is nobody's guess where several have the title", () =>
    assert.throws(
      () => meant("ops"),
      /^Error: "ops" may mean several groups; take one of:\n {2}main\/-2, "Ops" \(-2\) on main\n {2}other\/-3, "ops" \(-3\) on other$/,
    ));

  for (const words of ["", "Nobody's", "elsewhere/-1"])
    it(`is none for ${JSON.stringify(words)}`, () =>
      assert.throws(() => meant(words), /no group with the id or title/));
});
