import { cleanText } from "@talaria/adapter-kit";
import { brandAs, type InboundMessage, type Quote, type UserId } from "@talaria/protocol";
import type { TelegramAccount } from "./account.ts";
import { type FormattedText, withoutOwnHandle } from "./address.ts";
import { attachmentsOf } from "./attachments.ts";
import { descriptionOf } from "./describe.ts";
import { toMarkdown } from "./entities.ts";
import { toMessageId } from "./message-id.ts";
import { richText } from "./rich-text.ts";
import { originOf, personName, toSender } from "./sender.ts";
import type { TelegramContent, TelegramEntity, TelegramMessage, TelegramReply } from "./update.ts";

/** The text, files and references of a message. Undefined for service messages: nobody said anything. */
export function toMessage(message: TelegramMessage, account: TelegramAccount): InboundMessage | undefined {
  const attachments = attachmentsOf(message);
  const description = descriptionOf(message);
  const { text, entities } = textOf(message);
  if (text === "" && attachments.length === 0 && description === undefined) return undefined;
  const addressed = withoutOwnHandle({ text, entities }, account.username);
  const said = [toMarkdown(addressed.text, addressed.entities), description].filter(Boolean).join("\n");
  const made = madeBy(message, said);
  const reply = replyOf(message);
  const mentions = mentionsIn(text, entities, account);
  const chatId = message.chat.id;
  const idOf = (number: string) => toMessageId(number, chatId, account.firstIdOf?.(chatId) ?? chatId);
  return {
    messageId: idOf(message.message_id),
    markdown: [forwardNote(message), made === undefined ? said : ""].filter(Boolean).join("\n"),
    attachments: message.via_bot === undefined ? attachments : attachments.map(({ voice: _, ...file }) => file),
    mentions: mentions.map((userId) => brandAs<UserId>(userId)),
    mentionsSelf: addressed.isAddressed || mentions.includes(account.selfId),
    repliesToSelf: reply?.from?.id === account.selfId,
    ...(reply === undefined ? {} : { replyTo: idOf(reply.message_id) }),
    ...(message.media_group_id === undefined ? {} : { albumId: message.media_group_id }),
    ...(made === undefined ? quoteOf(message, reply, account) : { quote: made }),
  };
}

/** What an inline bot has made are its words, whoever picked them: people see a title of the bot's choice before they send it. */
function madeBy({ via_bot: bot }: TelegramMessage, said: string): Quote | undefined {
  if (bot === undefined || said === "") return undefined;
  return { userId: brandAs<UserId>(bot.id), displayName: personName(bot), markdown: said };
}

function textOf(content: TelegramContent): FormattedText {
  if (content.text !== undefined) return { text: cleanText(content.text), entities: content.entities ?? [] };
  if (content.rich_message !== undefined) return { text: cleanText(richText(content.rich_message)), entities: [] };
  return { text: cleanText(content.caption ?? ""), entities: content.caption_entities ?? [] };
}

/** The message that this one answers. In a topic, Telegram names the topic's first message where there is no other. */
function replyOf({ reply_to_message: reply, message_thread_id, is_topic_message }: TelegramMessage) {
  return is_topic_message && reply?.message_id === message_thread_id ? undefined : reply;
}

/** Ids of the people and bots the text names, without repetition; a handle is known only when it is ours. */
function mentionsIn(text: string, entities: readonly TelegramEntity[], account: TelegramAccount): readonly string[] {
  const own = `@${account.username.toLowerCase()}`;
  const ids = entities.flatMap((entity) => {
    if (entity.type === "text_mention" && entity.user) return [entity.user.id];
    const isOwn = entity.type === "mention" && slice(text, entity).toLowerCase() === own;
    return isOwn ? [account.selfId] : [];
  });
  return [...new Set(ids)];
}

function slice(text: string, { offset, length }: TelegramEntity): string {
  return text.slice(offset, offset + length);
}

function forwardNote({ forward_origin: origin }: Pick<TelegramMessage, "forward_origin">): string {
  return origin === undefined ? "" : `[forwarded from ${originOf(origin).displayName.replaceAll(/[[\]]/g, "")}]`;
}

/** Whose words are answered, and which: the marked part, else the whole earlier message; and its files, of an album one. */
function quoteOf(
  { quote, external_reply }: TelegramMessage,
  reply: TelegramReply | undefined,
  { selfId }: TelegramAccount,
): { readonly quote?: Quote } {
  const marked = quote === undefined ? undefined : toMarkdown(cleanText(quote.text), quote.entities);
  const files = attachmentsOf(reply ?? external_reply ?? {});
  const attachments = files.length === 0 ? {} : { attachments: files };
  if (reply === undefined) {
    if (external_reply?.origin === undefined || (marked === undefined && files.length === 0)) return {};
    return { quote: { ...originOf(external_reply.origin), markdown: marked ?? "", ...attachments } };
  }
  const { text, entities } = textOf(reply);
  const whole = [forwardNote(reply), toMarkdown(text, entities), descriptionOf(reply)].filter(Boolean).join("\n");
  const author = reply.via_bot === undefined ? reply : { chat: reply.chat, from: reply.via_bot };
  const { userId, displayName, role } = toSender(author, selfId);
  const own = role === "self" ? { own: true as const } : {};
  return { quote: { userId, displayName, markdown: marked ?? whole, ...attachments, ...own } };
}
