import type { Conversation, Sender } from "@talaria/protocol";
import { type Words, wordsFor } from "@talaria/words";

/** What people read while a turn works. */
export type WorkWords = Words["workLines"];

/** What a call does, for whoever is asked whether it may. */
export type HeadlineWords = Words["callHeadlines"];

/** What people read while a turn works, in the language of whoever has asked first, where they read it alone. */
export function workWordsFor({
  conversation,
  requesters,
}: {
  readonly conversation: Conversation;
  readonly requesters: readonly Sender[];
}): WorkWords {
  return wordsFor({ conversation, sender: requesters[0] }).workLines;
}
