import { cleanName, cleanText } from "@talaria/adapter-kit";
import {
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  type InboundEvent,
  type Instant,
  instantOf,
  type MessageId,
  type Sender,
  type ThreadId,
} from "@talaria/protocol";
import type { TelegramAccount } from "./account.ts";
import type { Migration } from "./chat-aliases.ts";
import { spentData } from "./close-choices.ts";
import { guestConversationId } from "./guest-query.ts";
import { toMessage } from "./inbound-message.ts";
import { toMessageId } from "./message-id.ts";
import { type SenderFacts, toSender } from "./sender.ts";
import type { TelegramChat, TelegramMessage, TelegramPress, TelegramUpdate } from "./update.ts";

/**
 * Converts an update. Mostly one event or none; a changed reaction can be several. Pure: `receivedAt` is in
 * milliseconds since 1970. Never throws.
 */
export function toEvents(
  update: TelegramUpdate,
  account: TelegramAccount,
  receivedAt: number,
): readonly InboundEvent[] {
  const received = instantOf(receivedAt);
  const { message, edited_message, guest_message, callback_query, message_reaction, stopped_message_generation } =
    update;
  const base = (facts: SenderFacts, thread: ThreadFacts, seconds?: number) => ({
    id: brandAs<EventId>(`u${update.update_id}`),
    conversation: toConversation(facts.chat, thread, account),
    sender: toSender(facts, account.selfId),
    occurredAt: toInstant(seconds, received),
    receivedAt: received,
  });
  const guest = guestCall(guest_message, account);
  if (guest !== undefined)
    return [{ ...base(guest.facts, {}, guest.facts.date), ...guest.parts, type: "message.created" }];
  const written = message ?? edited_message;
  if (written) {
    const content = toMessage(written, account);
    if (content === undefined) return [];
    const seconds = message ? written.date : (written.edit_date ?? written.date);
    const type = message ? "message.created" : "message.edited";
    return [{ ...base(written, written, seconds), type, message: content }];
  }
  if (callback_query?.message && callback_query.data !== undefined && callback_query.data !== spentData) {
    const { message: card, from, data } = callback_query;
    const messageId = idIn(card.chat, card.message_id, account);
    const label = labelOf(callback_query);
    const pressed = { messageId, actionId: cleanText(data), ...(label === "" ? {} : { label }) };
    return [{ ...base({ from, chat: card.chat }, card), type: "action.invoked", ...pressed }];
  }
  if (message_reaction) {
    const { user: from, actor_chat: sender_chat, chat, date, message_id } = message_reaction;
    const event = base({ from, sender_chat, chat }, {}, date);
    return reactionChanges(message_reaction).map((change, n) => ({
      ...event,
      ...change,
      id: n === 0 ? event.id : brandAs<EventId>(`${event.id}-${n}`),
      messageId: idIn(chat, message_id, account),
    }));
  }
  if (stopped_message_generation) {
    const { chat, draft_id, message_thread_id } = stopped_message_generation;
    const messageId = brandAs<MessageId>(draft_id);
    const facts = { chat, from: chat.type === "private" ? chat : undefined };
    const thread = { message_thread_id, is_topic_message: true };
    return [{ ...base(facts, thread), type: "action.invoked", messageId, actionId: "stop" }];
  }
  return [];
}

/** Who called us into a chat that we are no member of, and with what. Undefined where nobody did. */
function guestCall(facts: TelegramMessage | undefined, account: TelegramAccount) {
  const content = account.guestMode && facts?.guest_query_id !== undefined ? toMessage(facts, account) : undefined;
  if (content === undefined || facts?.guest_query_id === undefined) return undefined;
  const place = toConversation(facts.chat, {}, account);
  const conversationId = guestConversationId(facts.guest_query_id);
  const conversation = { ...place, conversationId, kind: "group", guest: true } as const;
  return { facts, parts: { conversation, message: { ...content, mentionsSelf: true } } };
}

/** What is written on the button that was pressed; empty when Telegram does not tell. */
export function labelOf({ message, data }: TelegramPress): string {
  const buttons = message?.reply_markup?.inline_keyboard.flat() ?? [];
  return cleanName(buttons.find((button) => button.callback_data === data)?.text ?? "");
}

/** Both ids when an update says that a group became a supergroup. Telegram says so in either chat. */
export function migrationOf({ message }: TelegramUpdate): Migration | undefined {
  if (message?.migrate_to_chat_id !== undefined) return { from: message.chat.id, to: message.migrate_to_chat_id };
  if (message?.migrate_from_chat_id !== undefined) return { from: message.migrate_from_chat_id, to: message.chat.id };
  return undefined;
}

/** The chat an update is about, for what we remember of chats. */
export function chatOf(update: TelegramUpdate): TelegramChat | undefined {
  const { message, edited_message, callback_query, message_reaction, stopped_message_generation } = update;
  const about = message ?? edited_message ?? callback_query?.message ?? message_reaction ?? stopped_message_generation;
  return about?.chat ?? update.my_chat_member?.chat;
}

/** Statuses with which a bot can do nothing in a chat; in a private chat `kicked` means that the person blocked it. */
const outside: ReadonlySet<string> = new Set(["left", "kicked"]);

/** Whether an update says that the bot can do nothing more in its chat. */
export function isShutOut({ my_chat_member: change }: TelegramUpdate): boolean {
  return outside.has(change?.new_chat_member.status ?? "");
}

/** The group into which the bot was brought, and by whom (core.telegram.org/bots/api#chatmemberupdated). */
export function addedIn(
  { my_chat_member: change }: TelegramUpdate,
  account: TelegramAccount,
): { readonly conversation: Conversation; readonly by: Sender } | undefined {
  if (change === undefined || change.chat.type === "private") return undefined;
  const { chat, from, old_chat_member: old, new_chat_member: now } = change;
  if (!outside.has(old?.status ?? "left") || outside.has(now.status)) return undefined;
  return { conversation: toConversation(chat, {}, account), by: toSender({ from, chat }, account.selfId) };
}

type ThreadFacts = {
  readonly [Key in "message_thread_id" | "is_topic_message"]?: TelegramMessage[Key];
};

/** Replies in ordinary supergroups carry a thread id too; only topics are threads, and the General topic has none. */
function toConversation(
  chat: TelegramChat,
  thread: ThreadFacts,
  { accountId, firstIdOf }: TelegramAccount,
): Conversation {
  const title = cleanName(chat.title ?? "");
  const { message_thread_id, is_topic_message } = thread;
  return {
    accountId,
    platform: "telegram",
    conversationId: brandAs<ConversationId>(firstIdOf?.(chat.id) ?? chat.id),
    kind: chat.type === "private" ? "direct" : chat.type === "channel" ? "broadcast" : "group",
    ...(title === "" ? {} : { title }),
    ...(is_topic_message && message_thread_id !== undefined ? { threadId: brandAs<ThreadId>(message_thread_id) } : {}),
  };
}

function idIn(chat: TelegramChat, number: string, { firstIdOf }: TelegramAccount): MessageId {
  return toMessageId(number, chat.id, firstIdOf?.(chat.id) ?? chat.id);
}

function toInstant(seconds: number | undefined, otherwise: Instant): Instant {
  const isInRange = seconds !== undefined && seconds > 0 && seconds < 253_402_300_800;
  return isInRange ? instantOf(Math.trunc(seconds) * 1_000) : otherwise;
}

interface ReactionChange {
  readonly type: "reaction.added" | "reaction.removed";
  readonly emoji: string;
}

function reactionChanges(changed: NonNullable<TelegramUpdate["message_reaction"]>): readonly ReactionChange[] {
  const before = new Set(changed.old_reaction.map(emojiOf));
  const after = new Set(changed.new_reaction.map(emojiOf));
  return [
    ...[...before].filter((emoji) => !after.has(emoji)).map((emoji) => ({ type: "reaction.removed" as const, emoji })),
    ...[...after].filter((emoji) => !before.has(emoji)).map((emoji) => ({ type: "reaction.added" as const, emoji })),
  ];
}

type Reaction = NonNullable<TelegramUpdate["message_reaction"]>["new_reaction"][number];

function emojiOf({ type, emoji, custom_emoji_id }: Reaction): string {
  const known = type === "custom_emoji" && custom_emoji_id ? `custom:${custom_emoji_id}` : type;
  return cleanText((type === "emoji" && emoji ? emoji : known).slice(0, 100));
}
