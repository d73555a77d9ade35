import { cleanName, cleanText } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type ConversationId,
  type EventId,
  type InboundEvent,
  type InboundMessage,
  instantOf,
  type MessageId,
  type UserId,
} from "@talaria/protocol";
import { ofOurs } from "../answered.ts";
import type { LeftOut } from "../left-out.ts";
import { attachmentsOf, contentOf, contextOf, messageIdSchema, type WebContent, wordsOf } from "./content.ts";
import { eventIdOf, isGroup, personIdOf, plainJid } from "./jids.ts";
import type { WebMessage } from "./socket.ts";

/** A clock may be wrong by this much; later times are not believed. */
const toleranceMs = 5 * 60_000;

export interface WebAccount {
  readonly id: AccountId;
  /** Our own ids: the number, and the LID. */
  readonly selfIds: readonly string[];
}

/** What is known beside the message. */
export interface Viewpoint extends WebAccount {
  /** What somebody called themselves lately. */
  readonly nameOf: (userId: string) => string | undefined;
}

/** Numbers of WhatsApp's protocol. */
const revoke = 0;
const edit = 14;

/** Converts a message. Edits and deletions name the message that they change. */
export function toEvent(message: WebMessage, account: Viewpoint, nowMs: number): InboundEvent | LeftOut {
  const { key } = message;
  const { data: id } = messageIdSchema.safeParse(key.id);
  if (id === undefined) return { kind: "message", reason: "it has no id" };
  const place = placeOf(message, account);
  if ("reason" in place) return place;
  const content = contentOf(message.message);
  if (content === undefined) return { kind: "undecrypted", reason: "it could not be decrypted" };
  const base: EventBase = {
    id: brandAs<EventId>(eventIdOf(key)),
    ...place,
    occurredAt: instantOf(timeOf(message, nowMs)),
    receivedAt: instantOf(nowMs),
  };
  return aboutAnother(content, base, account) ?? created(content, id, base, account);
}

type EventBase = Pick<InboundEvent, "id" | "conversation" | "sender" | "occurredAt" | "receivedAt">;

/** Where it was written and by whom. */
function placeOf(
  { key, pushName }: WebMessage,
  account: WebAccount,
): Pick<InboundEvent, "conversation" | "sender"> | LeftOut {
  const inGroup = isGroup(key.remoteJid);
  const chatId = inGroup ? plainJid(key.remoteJid) : personIdOf(key.remoteJid, key.remoteJidAlt);
  if (chatId === undefined) return { reason: "it was written in no conversation" };
  const author = inGroup ? personIdOf(key.participant, key.participantAlt) : chatId;
  const senderId = key.fromMe ? (account.selfIds[0] ?? author) : author;
  if (senderId === undefined) return { kind: "message", reason: "it names no sender" };
  return {
    conversation: {
      accountId: account.id,
      platform: "whatsapp",
      conversationId: brandAs<ConversationId>(chatId),
      kind: inGroup ? "group" : "direct",
    },
    sender: {
      userId: brandAs<UserId>(senderId),
      role: key.fromMe ? "self" : "person",
      displayName: cleanName(pushName ?? "") || shownId(senderId),
      assurance: "platform",
    },
  };
}

/** A reaction, or an earlier message taken back or changed. */
function aboutAnother(content: WebContent, base: EventBase, account: Viewpoint): InboundEvent | LeftOut | undefined {
  const { reactionMessage, protocolMessage } = content;
  if (reactionMessage) {
    const emoji = cleanText(reactionMessage.text ?? "");
    const messageId = brandAs<MessageId>(reactionMessage.key.id);
    return { ...base, type: emoji === "" ? "reaction.removed" : "reaction.added", messageId, emoji };
  }
  const about = protocolMessage?.key?.id;
  if (!protocolMessage || about === undefined) return undefined;
  const kind = protocolMessage.type ?? revoke;
  if (kind === revoke) return { ...base, type: "message.deleted", messageId: brandAs<MessageId>(about) };
  const edited = kind === edit ? contentOf(protocolMessage.editedMessage) : undefined;
  const words = edited && readable(edited, about, account);
  return words === undefined
    ? { reason: "it is of the protocol, not of a person" }
    : { ...base, type: "message.edited", message: words };
}

function created(content: WebContent, id: string, base: EventBase, account: Viewpoint): InboundEvent | LeftOut {
  const words = readable(content, id, account);
  const kind = content.oddPart === undefined ? {} : { kind: content.oddPart };
  return words === undefined
    ? { ...kind, reason: "it is of a kind that the agent does not read" }
    : { ...base, type: "message.created", message: words };
}

function readable(content: WebContent, id: string, view: Viewpoint): InboundMessage | undefined {
  const { selfIds } = view;
  const markdown = wordsOf(content);
  if (markdown === undefined) return undefined;
  const context = contextOf(content);
  const mentions = (context?.mentionedJid ?? []).flatMap((jid) => personIdOf(jid) ?? []);
  const answered = context?.stanzaId ?? undefined;
  const author = personIdOf(context?.participant);
  const quoted = contentOf(context?.quotedMessage);
  const quote = quoted === undefined || author === undefined ? {} : quoteOf(quoted, author, view);
  return {
    messageId: brandAs<MessageId>(id),
    markdown,
    attachments: attachmentsOf(content),
    mentions: mentions.map((one) => brandAs<UserId>(one)),
    mentionsSelf: mentions.some((one) => selfIds.includes(one)),
    repliesToSelf: answered !== undefined && author !== undefined && selfIds.includes(author),
    ...(answered === undefined ? {} : { replyTo: brandAs<MessageId>(answered) }),
    ...quote,
  };
}

/** Whoever quotes sends the words and where the file lies along. */
function quoteOf(quoted: WebContent, author: string, { selfIds, nameOf }: Viewpoint): Pick<InboundMessage, "quote"> {
  const words = wordsOf(quoted) ?? "";
  const attachments = attachmentsOf(quoted);
  if (words === "" && attachments.length === 0) return {};
  const markdown = cleanText(words.slice(0, 1_000));
  const files = attachments.length === 0 ? {} : { attachments };
  if (selfIds.includes(author)) return { quote: { ...ofOurs(author), markdown, ...files } };
  const displayName = nameOf(author) ?? shownId(author);
  return { quote: { userId: brandAs<UserId>(author), displayName, markdown, ...files } };
}

/** A number as people write it; other ids as they are. */
function shownId(id: string): string {
  return /^\d+$/.test(id) ? `+${id}` : id;
}

/** Milliseconds; now where the time lies in the future or is missing. */
export function timeOf({ messageTimestamp: given }: WebMessage, nowMs: number): number {
  const seconds = typeof given === "number" ? given : (given?.toNumber() ?? 0);
  const givenMs = seconds * 1_000;
  return givenMs > 0 && givenMs <= nowMs + toleranceMs ? givenMs : nowMs;
}
