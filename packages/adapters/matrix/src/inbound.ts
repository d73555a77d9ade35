import { cleanName, cleanText } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  type InboundEvent,
  type Instant,
  instantOf,
  type MessageId,
  type Quote,
  type Sender,
  type ThreadId,
  type UserId,
} from "@talaria/protocol";
import { choiceIndex } from "./choices.ts";
import { type Relation, readMessage, relationOf } from "./content.ts";
import { type Self, toMessage } from "./inbound-message.ts";
import type { Original } from "./originals.ts";
import { pollNote } from "./poll.ts";
import { displayNameIn, kindOf, type Room } from "./rooms.ts";
import { eventId, type RoomEvent } from "./wire.ts";

/** Where an event arrived, and what is known there. */
export interface Viewpoint {
  readonly accountId: AccountId;
  readonly self: Self;
  readonly room: Room;
  readonly nowMs: number;
}

/**
 * Converts an event after decryption; undefined for what the agent never reads. `original` is the event that this one
 * refers to, as far as it is known. Pure.
 */
export function toEvent(event: RoomEvent, original: Original | undefined, view: Viewpoint): InboundEvent | undefined {
  const relation = relationOf(event.content, event.event_id);
  switch (event.type) {
    case "m.room.message":
    case "m.sticker":
      return relation.kind === "replace"
        ? toEdit(event, relation.target, original, view)
        : toCreated(event, relation, original, view);
    case "m.poll.start":
    case "org.matrix.msc3381.poll.start":
      return toCreated(event, relation, original, view);
    case "m.reaction": {
      if (relation.kind !== "annotation" || original === undefined) return undefined;
      const emoji = cleanText(relation.key.slice(0, 100)).trim();
      if (emoji === "") return undefined;
      const base = { ...baseOf(event, original.threadId, view), messageId: brandAs<MessageId>(relation.target) };
      const chosen = original.choices?.[choiceIndex(emoji) ?? -1];
      if (chosen !== undefined) return { type: "action.invoked", ...base, actionId: chosen.id, label: chosen.label };
      return { type: "reaction.added", ...base, emoji };
    }
    case "m.room.redaction":
      return toRedaction(event, original, view);
    default:
      return undefined;
  }
}

/** The first message of an event's thread, where the event answers nothing else: that is what people mean there. */
export function threadToQuote(event: InboundEvent | undefined): string | undefined {
  return event?.type === "message.created" && event.message.quote === undefined
    ? event.conversation.threadId
    : undefined;
}

/** The event with the first message of its thread as a quote, as far as that is known and says something. */
export function withThreadHead(event: InboundEvent, head: Original | undefined, view: Viewpoint): InboundEvent {
  if (event.type !== "message.created" || head === undefined) return event;
  if (head.text === "" && head.attachments === undefined) return event;
  return { ...event, message: { ...event.message, quote: { ...quoteOf(head, view), head: true } } };
}

/** The event that this one needs to be understood. */
export function referenceOf(event: RoomEvent): string | undefined {
  if (event.type === "m.room.redaction") return redactedBy(event);
  const relation = relationOf(event.content, event.event_id);
  return relation.kind === "message" ? relation.replyTo : relation.target;
}

/** Room versions before 11 name it beside the content. */
export function redactedBy({ redacts, content, event_id }: RoomEvent): string | undefined {
  const inContent = typeof content.redacts === "string" ? content.redacts : undefined;
  const target = inContent ?? redacts;
  return target !== event_id && eventId.safeParse(target).success ? target : undefined;
}

function toCreated(
  event: RoomEvent,
  relation: Relation,
  original: Original | undefined,
  view: Viewpoint,
): InboundEvent | undefined {
  if (relation.kind !== "message") return undefined;
  const message = spokenIn(event, relation, view);
  if (message === undefined) return undefined;
  return {
    type: "message.created",
    ...baseOf(event, relation.threadId, view),
    message: {
      ...message,
      repliesToSelf: original?.sender === view.self.userId,
      ...(original !== undefined && { quote: quoteOf(original, view) }),
    },
  };
}

/** A sticker and a poll have words of ours. */
function spokenIn(event: RoomEvent, relation: Extract<Relation, { kind: "message" }>, view: Viewpoint) {
  const { type, content, event_id } = event;
  if (type === "m.room.message") return toMessage(content, event_id, relation, view.self);
  const name = cleanName(readMessage(content).body ?? "").replaceAll(/[[\]]/g, "");
  const body = type === "m.sticker" ? `[sticker: ${name}]` : pollNote(content);
  const described = { msgtype: "m.text", body, "m.mentions": content["m.mentions"] ?? {} };
  return toMessage(described, event_id, relation, view.self);
}

function quoteOf({ sender, text, attachments }: Original, { room, self }: Viewpoint): Quote {
  return {
    userId: brandAs<UserId>(sender),
    displayName: displayNameIn(room, sender),
    markdown: text,
    ...(attachments && { attachments }),
    ...(sender === self.userId && { own: true as const }),
  };
}

/** Whoever changes somebody else's message is not heard: servers let such events through. */
function toEdit(
  event: RoomEvent,
  target: string,
  original: Original | undefined,
  view: Viewpoint,
): InboundEvent | undefined {
  const changed = readMessage(event.content)["m.new_content"];
  if (changed === undefined || original === undefined || original.sender !== event.sender) return undefined;
  const message = toMessage(changed, target, { kind: "message" }, view.self);
  if (message === undefined) return undefined;
  return { type: "message.edited", ...baseOf(event, original.threadId, view), message };
}

function toRedaction(event: RoomEvent, original: Original | undefined, view: Viewpoint): InboundEvent | undefined {
  const target = redactedBy(event);
  if (target === undefined) return undefined;
  const base = baseOf(event, original?.threadId, view);
  if (original?.reaction === undefined)
    return { type: "message.deleted", ...base, messageId: brandAs<MessageId>(target) };
  const { target: messageId, emoji } = original.reaction;
  return { type: "reaction.removed", ...base, messageId: brandAs<MessageId>(messageId), emoji: cleanText(emoji) };
}

function baseOf(event: RoomEvent, threadId: string | undefined, { accountId, self, room, nowMs }: Viewpoint) {
  return {
    id: brandAs<EventId>(event.event_id),
    conversation: conversationOf(accountId, room, threadId),
    sender: toSender(event, self.userId, room),
    occurredAt: instantNear(event.origin_server_ts, nowMs),
    receivedAt: instantOf(nowMs),
  };
}

export function conversationOf(accountId: AccountId, room: Room, threadId?: string): Conversation {
  return {
    accountId,
    platform: "matrix",
    conversationId: brandAs<ConversationId>(room.roomId),
    kind: kindOf(room),
    ...(threadId !== undefined && { threadId: brandAs<ThreadId>(threadId) }),
    ...(room.title !== "" && { title: room.title }),
  };
}

/** Matrix does not tell bots from people; those that write notices ask not to be answered (specification, m.notice). */
function toSender(event: RoomEvent, selfId: string, room: Room): Sender {
  const isNotice = event.type === "m.room.message" && event.content.msgtype === "m.notice";
  return {
    userId: brandAs<UserId>(event.sender),
    role: event.sender === selfId ? "self" : isNotice ? "bot" : "person",
    displayName: cleanName(displayNameIn(room, event.sender)),
    assurance: "platform",
  };
}

/** The sender's server chose the time: one that cannot be is replaced by ours. */
function instantNear(milliseconds: number, nowMs: number): Instant {
  const isPossible = Number.isFinite(milliseconds) && milliseconds > 0 && milliseconds <= nowMs + 24 * 60 * 60_000;
  return instantOf(isPossible ? Math.floor(milliseconds) : nowMs);
}
