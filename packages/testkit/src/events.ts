import {
  type AccountId,
  type Attachment,
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  type InboundEvent,
  type InboundMessage,
  instantOf,
  type MediaRef,
  type MessageId,
  type Platform,
  type Quote,
  type Sender,
  type ThreadId,
  type UserId,
} from "@talaria/protocol";

export type MessageCreated = Extract<InboundEvent, { type: "message.created" }>;

/** What a test cares about; everything else gets a plain value. Ids are unique within the process. */
export interface EventFacts {
  readonly text?: string;
  readonly id?: string;
  readonly messageId?: string;
  readonly account?: string;
  readonly platform?: Platform;
  readonly conversation?: string;
  readonly thread?: string;
  readonly kind?: Conversation["kind"];
  readonly title?: string;
  readonly guest?: true;
  /** The sender's id. */
  readonly from?: string;
  readonly name?: string;
  readonly handle?: string;
  readonly role?: Sender["role"];
  readonly assurance?: Sender["assurance"];
  /** The sender's, in BCP 47. */
  readonly language?: string;
  /** Milliseconds since 1970. */
  readonly at?: number;
  readonly attachments?: readonly Attachment[];
  readonly mentions?: readonly string[];
  readonly mentionsSelf?: boolean;
  readonly repliesToSelf?: boolean;
  readonly replyTo?: string;
  readonly quote?: Quote;
}

/** 2026-01-01, one second apart per event, so that events made in a row are in order. */
const firstInstantMs = Date.UTC(2026, 0, 1);
let created = 0;

/** A message of a person in a direct chat, unless the facts say otherwise. */
export function messageFrom(facts: EventFacts = {}): MessageCreated {
  const { base, number } = baseOf(facts);
  return { ...base, type: "message.created", message: messageOf(facts, number) };
}

/** The same message after its author changed the text. It is another event about the same message id. */
export function editOf(event: MessageCreated, text: string): InboundEvent {
  created += 1;
  const id = brandAs<EventId>(`${event.id}-edit-${created}`);
  return { ...event, id, type: "message.edited", message: { ...event.message, markdown: text } };
}

/** One event of every type, all in one conversation, in an order that makes sense. */
export function sampleEvents(facts: EventFacts = {}): InboundEvent[] {
  const message = messageFrom({ text: "hello", ...facts });
  const about = () => ({ ...baseOf(facts).base, messageId: message.message.messageId });
  return [
    message,
    editOf(message, "hello again"),
    { ...about(), type: "reaction.added", emoji: "👍" },
    { ...about(), type: "reaction.removed", emoji: "👍" },
    { ...about(), type: "action.invoked", actionId: "stop" },
    { ...about(), type: "message.deleted" },
  ];
}

/** An attachment of a message. */
export function attachmentFrom(facts: Partial<Attachment> = {}): Attachment {
  created += 1;
  return { kind: "file", mimeType: "application/octet-stream", ref: brandAs<MediaRef>(`media-${created}`), ...facts };
}

export function conversationFrom(facts: EventFacts = {}): Conversation {
  const {
    account = "loopback-main",
    platform = "loopback",
    conversation = "c1",
    thread,
    kind = "direct",
    title,
    guest,
  } = facts;
  return {
    accountId: brandAs<AccountId>(account),
    platform,
    conversationId: brandAs<ConversationId>(conversation),
    ...(thread !== undefined && { threadId: brandAs<ThreadId>(thread) }),
    kind,
    ...(title !== undefined && { title }),
    ...(guest !== undefined && { guest }),
  };
}

function senderFrom(facts: EventFacts = {}): Sender {
  const { from = "u1", name = "Ada", handle, role = "person", assurance = "platform", language } = facts;
  return {
    userId: brandAs<UserId>(from),
    role,
    displayName: name,
    ...(handle !== undefined && { handle }),
    assurance,
    ...(language === undefined ? {} : { language }),
  };
}

function baseOf(facts: EventFacts) {
  created += 1;
  const at = instantOf(facts.at ?? firstInstantMs + created * 1_000);
  const base = {
    id: brandAs<EventId>(facts.id ?? `event-${created}`),
    conversation: conversationFrom(facts),
    sender: senderFrom(facts),
    occurredAt: at,
    receivedAt: at,
  };
  return { base, number: created };
}

function messageOf(facts: EventFacts, number: number): InboundMessage {
  return {
    messageId: brandAs<MessageId>(facts.messageId ?? `m${number}`),
    markdown: facts.text ?? "hello",
    attachments: facts.attachments ?? [],
    mentions: (facts.mentions ?? []).map((id) => brandAs<UserId>(id)),
    mentionsSelf: facts.mentionsSelf ?? false,
    repliesToSelf: facts.repliesToSelf ?? false,
    ...(facts.replyTo !== undefined && { replyTo: brandAs<MessageId>(facts.replyTo) }),
    ...(facts.quote !== undefined && { quote: facts.quote }),
  };
}
