import { brandAs, type Conversation, type ConversationId } from "@talaria/protocol";

/** Not direct, as the negative ids of groups say, and the id of no chat. */
const prefix = "-guest:";

/**
 * A call into a chat that we are no member of. Each is a conversation of its own, whose id says how it is answered: the ids of such chats
 * may be those of other chats of ours (core.telegram.org/bots/api#message, `guest_query_id`), and nothing of it is remembered in another.
 */
export function guestConversationId(queryId: string): ConversationId {
  return brandAs<ConversationId>(`${prefix}${queryId}`);
}

/** The query that a conversation is, or undefined for a chat. */
export function guestQueryOf({ conversationId }: Conversation): string | undefined {
  return conversationId.startsWith(prefix) ? conversationId.slice(prefix.length) : undefined;
}
