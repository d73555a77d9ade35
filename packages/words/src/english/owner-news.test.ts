import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountId, brandAs, type Conversation, type ConversationId } from "@talaria/protocol";
import { ownerNews } from "./owner-news.ts";

const told = (line: string) => ownerNews.problem({ line, stopsAnswers: true }).split("\n")[0];

for (const [line, sentences] of [
  [
    "model main: its provider refuses the key, since 19:30 UTC (2 requests failed): put a working one there",
    "Model main: its provider refuses the key, since 19:30 UTC (2 requests failed). Put a working one there.",
  ],
  [
    "the worker 1 ends again and again (the last: SIGKILL), and is started each time: the log shows why",
    "The worker 1 ends again and again (the last: SIGKILL), and is started each time. The log shows why.",
  ],
  [
    "account a may not write to `Eve: x` (`42`): it is gone.",
    "Account a may not write to `Eve: x` (`42`). It is gone.",
  ],
  ["model big: its key is refused", "Model big: its key is refused."],
] as const)
  it(`owners read in sentences that ${line}`, () => {
    assert.equal(told(line), `People get no answers from me. ${sentences}`);
  });

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
