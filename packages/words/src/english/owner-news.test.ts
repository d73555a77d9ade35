import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountId, brandAs, type Conversation, type ConversationId } from "@talaria/protocol";
import { ownerNews } from "./owner-news.ts";

const place = (kind: Conversation["kind"], id: string, title?: string): Conversation => ({
  ...{ accountId: brandAs<AccountId>("main"), platform: "telegram", kind },
  conversationId: brandAs<ConversationId>(id),
  ...(title === undefined ? {} : { title }),
});

it("names the conversations that got no answer, with names that can't pass for ours, and who answers them", () => {
  const zoe = { conversation: place("direct", "10002"), person: { displayName: "Zoe” (1) on `main`" } };
  assert.equal(
    ownerNews.failedMeanwhile([zoe], 0),
    "Conversations whose last message got no answer because of it: “`Zoe' (1) on main`” (`10002`) on `main`. `/retry`, written there, answers it.",
  );
  assert.equal(
    ownerNews.failedMeanwhile([zoe, { conversation: place("group", "-100", "Team") }], 2),
    "Conversations whose last message got no answer because of it: “`Zoe' (1) on main`” (`10002`) on `main`, “`Team`” (`-100`) on `main` and 2 more. `/retry`, written there, answers it; in a group, a member or an owner has to write that.",
  );
});
