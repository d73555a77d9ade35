import type { ChatKey } from "../ports/chats.ts";

/** The key of a conversation's session; those of its threads and senders go on with a slash. */
export function sessionsOf({ accountId, conversationId }: ChatKey): string {
  return [accountId, conversationId].map(encodeURIComponent).join("/");
}
