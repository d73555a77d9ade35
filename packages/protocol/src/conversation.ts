import type { AccountId, ConversationId, ThreadId } from "./ids.ts";

/** Every platform name, in the order documents list them. */
export const platforms = [
  "telegram",
  "discord",
  "slack",
  "whatsapp",
  "matrix",
  "email",
  "webhook",
  "web",
  "api",
  "loopback",
] as const;

export type Platform = (typeof platforms)[number];

/** The place messages are in. `title` is what people wrote: data, never part of an instruction. */
export interface Conversation {
  readonly accountId: AccountId;
  readonly platform: Platform;
  readonly conversationId: ConversationId;
  readonly threadId?: ThreadId;
  readonly kind: "direct" | "group" | "broadcast";
  readonly title?: string;
}
