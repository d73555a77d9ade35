import {
  type AccountId,
  brandAs,
  type ConversationId,
  type EventId,
  type InboundEvent,
  instantOf,
  type MessageId,
  type UserId,
} from "@talaria/protocol";
import type { LoopbackUpdate } from "./client.ts";

/** The account that an update arrived at. */
export interface LoopbackAccount {
  readonly id: AccountId;
  /** The platform's id of our own account. */
  readonly selfId: string;
}

/** Converts an update; undefined for what the agent never reads. Pure: recorded payloads test it. */
export function toEvent(update: LoopbackUpdate, account: LoopbackAccount, nowMs: number): InboundEvent | undefined {
  const { updateId, conversationId, messageId, userId, userName, text, sentAtMs } = update;
  return {
    type: "message.created",
    id: brandAs<EventId>(updateId),
    conversation: {
      accountId: account.id,
      platform: "loopback",
      conversationId: brandAs<ConversationId>(conversationId),
      kind: "direct",
    },
    sender: {
      userId: brandAs<UserId>(userId),
      role: userId === account.selfId ? "self" : "person",
      displayName: userName,
      assurance: "platform",
    },
    occurredAt: instantOf(sentAtMs),
    receivedAt: instantOf(nowMs),
    message: {
      messageId: brandAs<MessageId>(messageId),
      markdown: text,
      attachments: [],
      mentions: [],
      mentionsSelf: true,
      repliesToSelf: false,
    },
  };
}
