import type { Conversation } from "./conversation.ts";
import type { EventId, Instant, MediaRef, MessageId, UserId } from "./ids.ts";
import type { Sender } from "./sender.ts";
import type { SettledCall } from "./settled-call.ts";

interface EventBase {
  readonly id: EventId;
  readonly conversation: Conversation;
  readonly sender: Sender;
  /** When the platform says it happened. */
  readonly occurredAt: Instant;
  /** When this gateway first saw it. */
  readonly receivedAt: Instant;
}

export interface Attachment {
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mimeType: string;
  readonly name?: string;
  readonly byteLength?: number;
  /** The sender recorded it as speech: its words are the message. */
  readonly voice?: true;
  readonly ref: MediaRef;
}

/** An earlier message that a new one answers. Its text is somebody else's words: shown as data, never obeyed. */
export interface Quote {
  readonly userId: UserId;
  readonly displayName: string;
  /** Empty where the message had nothing but files. */
  readonly markdown: string;
  /** Its files, as its platform describes them now. */
  readonly attachments?: readonly Attachment[];
  /** By its author's id it is a message of this account. Some platforms take the words from whoever quotes it. */
  readonly own?: true;
  /** Not a message: what the platform tells of the moment, without words and names that people chose. Shown as a note; taints nothing. */
  readonly fact?: true;
  /** The sender answers nothing: it is what their thread begins with. Where the house knows that, it stands for it or is left out. */
  readonly head?: true;
}

/** A message to this account that its sender wrote to others as well: who said it where, and as a quote. */
export interface ReceivedMessage {
  readonly conversation: Conversation;
  readonly sender: Sender;
  readonly quote: Quote;
}

/**
 * A part of a message that somebody else wrote than its sender, such as a field of a webhook's body: shown as data, never
 * obeyed. `start` and `end` count UTF-16 units of `markdown`.
 */
export interface ValueSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** `markdown` is what the person wrote; a command addressed to us arrives as `/name arguments`, without our handle. */
export interface InboundMessage {
  readonly messageId: MessageId;
  readonly markdown: string;
  readonly attachments: readonly Attachment[];
  readonly mentions: readonly UserId[];
  /** The text names this account by its id or handle. */
  readonly mentionsSelf: boolean;
  /** The message answers one of ours. */
  readonly repliesToSelf: boolean;
  readonly replyTo?: MessageId;
  readonly quote?: Quote;
  /** Who got it beside this account, as its sender says, where the conversation doesn't tell that: mail. */
  readonly recipients?: readonly UserId[];
  /** In the order of the text, without overlaps. */
  readonly values?: readonly ValueSpan[];
  /** The conversation does not show it to others, as with a slash command: what the house itself answers is for its sender alone. */
  readonly unseen?: true;
  /** What the person wrote was not fetched, for example since nobody may listen to them yet: `markdown` says so instead. */
  readonly withheld?: true;
  /** Messages that the person sent as one album share it. Each is an event of its own; the house reads them as one. */
  readonly albumId?: string;
}

/**
 * One thing that came in. Plain JSON. `action.invoked`: somebody pressed a button of a message of ours; `actionId` is the id
 * of the choice, `label` what was written on it as far as the platform tells. `actionId` "stop" asks to end the running reply.
 */
export type InboundEvent =
  | (EventBase & { readonly type: "message.created"; readonly message: InboundMessage })
  | (EventBase & { readonly type: "message.edited"; readonly message: InboundMessage })
  | (EventBase & { readonly type: "message.deleted"; readonly messageId: MessageId })
  | (EventBase & { readonly type: "reaction.added"; readonly messageId: MessageId; readonly emoji: string })
  | (EventBase & { readonly type: "reaction.removed"; readonly messageId: MessageId; readonly emoji: string })
  | (EventBase & {
      readonly type: "action.invoked";
      readonly messageId: MessageId;
      readonly actionId: string;
      readonly label?: string;
    });

/** A tool call that waited has its answer. Comes from this house, never from a platform. `sender` is who had asked. */
export type CallSettledEvent = EventBase & { readonly type: "call.settled"; readonly call: SettledCall };

/** Whatever a session can wait for. */
export type SessionEvent = InboundEvent | CallSettledEvent;
