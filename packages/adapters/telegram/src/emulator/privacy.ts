import type { MessageEntity, UserFromGetMe } from "grammy/types";
import type { ChatMessage, ChatState } from "./chat-state.ts";

/**
 * Whether a bot gets a message. With privacy mode on a group shows it only commands (`/x` or `/x@bot`, not `/x@other`),
 * mentions of it, replies to it and service messages; an administrator sees everything.
 */
export function isMeantForBot(chat: ChatState, message: ChatMessage, bot: UserFromGetMe): boolean {
  if (!chat.isGroup || bot.can_read_all_group_messages || chat.bots.get(bot.id) === "administrator") return true;
  if (message.service !== undefined) return true;
  if (message.replyTo !== undefined && chat.messages.get(message.replyTo)?.from.id === bot.id) return true;
  return message.entities.some((entity) => addresses(entity, message.text, bot));
}

function addresses(entity: MessageEntity, text: string, bot: UserFromGetMe): boolean {
  const words = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
  const username = `@${bot.username.toLowerCase()}`;
  switch (entity.type) {
    case "mention":
      return words === username;
    case "text_mention":
      return entity.user.id === bot.id;
    case "bot_command":
      return !words.includes("@") || words.endsWith(username);
    default:
      return false;
  }
}
