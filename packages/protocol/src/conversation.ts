import type { AccountId, ConversationId, ThreadId } from "./ids.ts";
import type { Platform } from "./platform.ts";

/** The place messages are in. `title` is what people wrote: data, never part of an instruction. */
export interface Conversation {
  readonly accountId: AccountId;
  readonly platform: Platform;
  readonly conversationId: ConversationId;
  readonly threadId?: ThreadId;
  readonly kind: "direct" | "group" | "broadcast";
  readonly title?: string;
}
