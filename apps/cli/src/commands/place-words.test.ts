import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountId, brandAs, type Conversation, type ConversationId } from "@talaria/protocol";
import { placeWords } from "./place-words.ts";

const group: Conversation = {
  ...{ accountId: brandAs<AccountId>("main"), platform: "telegram", kind: "group" },
  conversationId: brandAs<ConversationId>("-100"),
};
const direct = { ...group, kind: "direct" } as const;
const ada = { userId: "42", displayName: "Ada" };

for (const [place, words] of [
  [{ conversation: { ...group, title: "Ops" } }, '"Ops" (-100) on main'],
  [
    { conversation: { ...group, title: 'Bob" (1002) on main: answered after 0 s' } },
    String.raw`"Bob\" (1002) on main: answered after 0 s" (-100) on main`,
  ],
  [{ conversation: group }, "-100 on main"],
  [{ conversation: group, person: ada }, "-100 on main"],
  [{ conversation: direct, person: ada }, '"Ada" (-100) on main'],
  [
    { conversation: { ...direct, title: "Re: hello" }, person: { ...ada, displayName: " \u0007" } },
    '"Re: hello" (-100) on main',
  ],
  [{ conversation: { ...direct, title: "-100" } }, "-100 on main"],
  [{ conversation: { ...group, title: "a\u001b[31m\n\u202eb" } }, '"a [31m b" (-100) on main'],
  [{ conversation: { ...group, conversationId: brandAs<ConversationId>("a\u001bb") } }, "a b on main"],
  [{ conversation: { ...group, title: "😀".repeat(1_000) } }, `"${"😀".repeat(60)}…" (-100) on main`],
] as const)
  it(`says ${words.slice(0, 40)}`, () => assert.equal(placeWords(place), words));
