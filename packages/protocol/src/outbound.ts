import type { Conversation } from "./conversation.ts";
import type { DeliveryKey, Instant, MediaRef, MessageId, UserId } from "./ids.ts";

export interface OutboundAttachment {
  readonly mimeType: string;
  readonly name: string;
  readonly byteLength?: number;
  readonly ref: MediaRef;
}

/** One button below a message. */
export interface Choice {
  /** Comes back as `actionId`. 1 to 40 characters of `A-Z a-z 0-9 _ -`. */
  readonly id: string;
  /** One line. An adapter shortens what is longer than its `choices.maxLabelLength`. */
  readonly label: string;
  /** Buttons with the same number stand together; the text says how to answer without them. 1 to 25, in order. */
  readonly row?: number;
}

/** Exactly one platform message. Longer texts are split before they become one of these. */
export interface OutboundMessage {
  readonly deliveryKey: DeliveryKey;
  readonly conversation: Conversation;
  readonly markdown: string;
  readonly attachments: readonly OutboundAttachment[];
  readonly replyTo?: MessageId;
  /** Buttons below the message; at most `choices.max` of the adapter's capabilities, and none without `choices` there. */
  readonly choices?: readonly Choice[];
  /** Shown to this person of the conversation and to nobody else. Only with `privateTo` among the adapter's capabilities. */
  readonly privateTo?: UserId;
}

/** What the platform later tells about a message of ours: only where it says so by itself, as WhatsApp and mail servers do. */
export interface Receipt {
  readonly conversation: Conversation;
  readonly messageId: MessageId;
  readonly status: "delivered" | "read" | "failed";
  readonly at: Instant;
  /** Why it failed: a sentence for the operator, without the message's text. */
  readonly reason?: string;
}

export interface MessageRef {
  readonly conversation: Conversation;
  readonly messageId: MessageId;
}

export interface SentMessage extends MessageRef {
  readonly sentAt: Instant;
}
