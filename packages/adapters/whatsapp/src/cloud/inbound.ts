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
import { attachmentsOf, wordsOf } from "./content.ts";
import { reasonOf } from "./errors.ts";
import type { CloudContact, CloudMessage, CloudStatus } from "./payload.ts";

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

/** Converts a message; the reason as a text for what the agent never reads. */
export function toEvent(message: CloudMessage, facts: InboundFacts): InboundEvent | string {
  const { id, type, reaction, interactive, context } = message;
  const personId = message.from ?? message.from_user_id;
  if (personId === undefined) return "it names no sender";
  if (message.group_id !== undefined) return "it was written in a group";
  if (silentTypes.has(type)) return `it is of the kind ${type}`;
  const base = {
    id: brandAs<EventId>(id),
    conversation: conversationWith(personId, facts.accountId),
    sender: senderOf(personId, facts.contacts),
    occurredAt: instantOf(timeOf(message.timestamp, facts.nowMs)),
    receivedAt: instantOf(facts.nowMs),
  };
  if (type === "reaction") {
    if (reaction === undefined) return "its reaction can't be read";
    const { message_id, emoji = "" } = reaction;
    const messageId = brandAs<MessageId>(message_id);
    return { ...base, type: emoji === "" ? "reaction.removed" : "reaction.added", messageId, emoji: cleanText(emoji) };
  }
  const pressed = interactive?.button_reply ?? interactive?.list_reply;
  if (pressed !== undefined && context?.id !== undefined && /^[\w-]{1,40}$/.test(pressed.id)) {
    const messageId = brandAs<MessageId>(context.id);
    return { ...base, type: "action.invoked", messageId, actionId: pressed.id, label: cleanName(pressed.title) };
  }
  return { ...base, type: "message.created", message: contentOf(message, personId, facts.quoteOf) };
}

function contentOf(message: CloudMessage, personId: string, quoteOf: InboundFacts["quoteOf"]): InboundMessage {
  const { id, context } = message;
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

/** What became of a message of ours; undefined for what the house does not ask about, such as `sent`. */
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
