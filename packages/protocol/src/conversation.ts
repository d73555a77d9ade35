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
  /** We are no member there: a person called us into it, for one answer. Who may do that is asked of the person, not of the place. */
  readonly guest?: true;
}
