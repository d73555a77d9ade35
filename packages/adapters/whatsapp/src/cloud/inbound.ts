import { cleanName, cleanText } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  type InboundEvent,
  type InboundMessage,
  instantOf,
  type MessageId,
  type Quote,
  type Receipt,
  type Sender,
  type UserId,
} from "@talaria/protocol";
import type { LeftOut } from "../left-out.ts";
import { attachmentsOf, isIncomplete, wordsOf } from "./content.ts";
import { reasonOf } from "./errors.ts";
import type { CloudContact, CloudContent, CloudMessage, CloudStatus } from "./payload.ts";

/** A clock may be wrong by this much; later times are not believed. */
const toleranceMs = 5 * 60_000;

export interface InboundFacts {
  readonly accountId: AccountId;
  readonly nowMs: number;
  readonly contacts: readonly CloudContact[];
  readonly quoteOf: (messageId: string) => Quote | undefined;
}

/** Kinds about the conversation and not of the person, such as a new number. The agent has no use for them. */
const silentTypes: ReadonlySet<string> = new Set(["system", "request_welcome", "ephemeral"]);

/** Converts a message. Edits and deletions name the message that they change; Meta gives them ids of their own. */
export function toEvent(message: CloudMessage, facts: InboundFacts): InboundEvent | LeftOut {
  const { id, type, reaction, interactive, context, edit, revoke } = message;
  const personId = message.from ?? message.from_user_id;
  if (personId === undefined) return { kind: "message", reason: "it names no sender" };
  if (message.group_id !== undefined) return { reason: "it was written in a group" };
  if (silentTypes.has(type)) return { reason: `it is of the type ${type}` };
  const base = {
    id: brandAs<EventId>(id),
    conversation: conversationWith(personId, facts.accountId),
    sender: senderOf(personId, facts.contacts),
    occurredAt: instantOf(timeOf(message.timestamp, facts.nowMs)),
    receivedAt: instantOf(facts.nowMs),
  };
  if (type === "reaction") {
    if (reaction === undefined) return { kind: type, reason: "it holds no reaction" };
    const { message_id, emoji = "" } = reaction;
    const messageId = brandAs<MessageId>(message_id);
    return { ...base, type: emoji === "" ? "reaction.removed" : "reaction.added", messageId, emoji: cleanText(emoji) };
  }
  if (type === "revoke") {
    if (revoke === undefined) return { kind: type, reason: "it does not say which message was deleted" };
    return { ...base, type: "message.deleted", messageId: brandAs<MessageId>(revoke.original_message_id) };
  }
  if (type === "edit") {
    if (edit === undefined || edit.message.type === "edit" || isIncomplete(edit.message))
      return { kind: type, reason: "it does not say which message was edited, or how" };
    const changed = contentOf(edit.original_message_id, edit.message, personId, facts.quoteOf);
    return { ...base, type: "message.edited", message: changed };
  }
  const pressed = interactive?.button_reply ?? interactive?.list_reply;
  if (pressed !== undefined && context?.id !== undefined && /^[\w-]{1,40}$/.test(pressed.id)) {
    const messageId = brandAs<MessageId>(context.id);
    return { ...base, type: "action.invoked", messageId, actionId: pressed.id, label: cleanName(pressed.title) };
  }
  return { ...base, type: "message.created", message: contentOf(id, message, personId, facts.quoteOf) };
}

function contentOf(
  id: string,
  message: CloudContent,
  personId: string,
  quoteOf: InboundFacts["quoteOf"],
): InboundMessage {
  const { context } = message;
  const answered = context?.id;
  const quote = answered === undefined ? undefined : quoteOf(answered);
  return {
    messageId: brandAs<MessageId>(id),
    markdown: wordsOf(message),
    attachments: attachmentsOf(message),
    mentions: [],
    mentionsSelf: false,
    // Two people are in the conversation, and one of them is us.
    repliesToSelf: answered !== undefined && context?.from !== undefined && context.from !== personId,
    ...(answered === undefined ? {} : { replyTo: brandAs<MessageId>(answered) }),
    ...(quote === undefined ? {} : { quote }),
  };
}

/** What became of a message of ours; undefined for outcomes that we do not use, such as `sent`. */
export function toReceipt(status: CloudStatus, accountId: AccountId, nowMs: number): Receipt | undefined {
  const outcome = outcomes.get(status.status);
  const personId = status.recipient_id ?? status.recipient_user_id;
  if (outcome === undefined || personId === undefined) return undefined;
  const [error] = status.errors ?? [];
  const words = error?.error_data?.details ?? error?.message ?? error?.title ?? "no reason given";
  return {
    conversation: conversationWith(personId, accountId),
    messageId: brandAs<MessageId>(status.id),
    status: outcome,
    at: instantOf(timeOf(status.timestamp, nowMs)),
    ...(outcome === "failed" && error !== undefined
      ? { reason: reasonOf(error.code, cleanText(words.slice(0, 300))) }
      : {}),
  };
}

const outcomes: ReadonlyMap<string, Receipt["status"]> = new Map([
  ["delivered", "delivered"],
  ["read", "read"],
  ["played", "read"],
  ["failed", "failed"],
]);

export function conversationWith(personId: string, accountId: AccountId): Conversation {
  return { accountId, platform: "whatsapp", conversationId: brandAs<ConversationId>(personId), kind: "direct" };
}

/** The name is what the person chose to show: it proves nothing. */
function senderOf(personId: string, contacts: readonly CloudContact[]): Sender {
  const contact = contacts.find(({ wa_id, user_id }) => wa_id === personId || user_id === personId);
  const displayName = cleanName(contact?.profile?.name ?? "") || (/^\d+$/.test(personId) ? `+${personId}` : personId);
  return { userId: brandAs<UserId>(personId), role: "person", displayName, assurance: "platform" };
}

/** Milliseconds of a time in seconds; now where it lies in the future or before there was WhatsApp. */
export function timeOf(seconds: number, nowMs: number): number {
  const givenMs = seconds * 1_000;
  return givenMs > 0 && givenMs <= nowMs + toleranceMs ? givenMs : nowMs;
}
