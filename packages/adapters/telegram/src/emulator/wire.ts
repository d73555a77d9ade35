import type { Chat, Message, User } from "grammy/types";
import type { ChatMessage, ChatState } from "./chat-state.ts";
import { fileIdFor, type StoredFile } from "./file-store.ts";

/** The chat as it stands in messages and updates. */
export function toWireChat(chat: ChatState): Chat {
  const { person } = chat;
  if (person) {
    const { id, first_name, last_name, username } = person;
    return { id, type: "private", first_name, ...(last_name && { last_name }), ...(username && { username }) } as Chat;
  }
  const forum = chat.isForum ? { is_forum: true } : {};
  return { id: chat.id, type: chat.kind, title: chat.title ?? "", ...forum } as Chat;
}

/**
 * The message as one bot sees it. Like Telegram, a message in a topic that answers nothing still carries
 * a `reply_to_message`: the service message that opened the topic. An answered message is shown one level deep.
 */
export function toWire(chat: ChatState, message: ChatMessage, botId: number, depth = 1): Message {
  const answered = depth > 0 ? answeredMessage(chat, message) : undefined;
  const formatted = message.media ? "caption" : "text";
  return {
    message_id: message.id,
    from: wireUser(message.from),
    chat: toWireChat(chat),
    date: Math.floor(message.sentAt / 1_000),
    ...(message.editedAt !== undefined && { edit_date: Math.floor(message.editedAt / 1_000) }),
    ...(message.threadId !== undefined && { message_thread_id: message.threadId }),
    ...(message.inTopic && { is_topic_message: true }),
    ...(answered && { reply_to_message: toWire(chat, answered, botId, depth - 1) }),
    ...(message.quote !== undefined && { quote: { text: message.quote, position: 0, is_manual: true } }),
    ...(message.mediaGroupId !== undefined && { media_group_id: message.mediaGroupId }),
    ...(message.media && toWireMedia(message.media, botId)),
    ...(message.rich && { rich_message: { blocks: message.rich } }),
    ...(message.text !== "" && !message.rich && { [formatted]: message.text }),
    ...(message.text !== "" &&
      message.entities.length > 0 && {
        [message.media ? "caption_entities" : "entities"]: message.entities,
      }),
    ...(message.markup && { reply_markup: message.markup }),
    ...message.extra,
    ...message.service,
  } as Message;
}

function answeredMessage(chat: ChatState, message: ChatMessage): ChatMessage | undefined {
  if (message.replyTo !== undefined) return chat.find(message.replyTo);
  return message.inTopic && message.threadId !== undefined ? chat.messages.get(message.threadId) : undefined;
}

/** Without the fields only `getMe` shows. */
export function wireUser(user: User): User {
  const { id, is_bot, first_name, last_name, username, language_code } = user;
  return {
    id,
    is_bot,
    first_name,
    ...(last_name && { last_name }),
    ...(username && { username }),
    ...(language_code && { language_code }),
  };
}

export function toWireFile(file: StoredFile, botId: number) {
  return { file_id: fileIdFor(file, botId), file_unique_id: file.uniqueId, file_size: file.size };
}

function toWireMedia(file: StoredFile, botId: number): object {
  const base = {
    ...toWireFile(file, botId),
    ...(file.mimeType && { mime_type: file.mimeType }),
    ...(file.name && { file_name: file.name }),
  };
  const { width = 1_280, height = 853, duration = 3 } = file;
  switch (file.kind) {
    case "photo": {
      const full = toWireFile(file, botId);
      const small = {
        file_id: `${full.file_id}-s`,
        file_unique_id: `${full.file_unique_id}s`,
        file_size: 4,
        width: 90,
        height: 60,
      };
      return { photo: [small, { ...full, width, height }] };
    }
    case "document":
      return { document: base };
    case "audio":
      return { audio: { ...base, duration } };
    case "voice": {
      const { file_name: _, ...voice } = base as { file_name?: string };
      return { voice: { ...voice, duration } };
    }
    case "video":
      return { video: { ...base, width, height, duration } };
    case "animation":
      return { animation: { ...base, width, height, duration }, document: base };
    default:
      return file.kind satisfies never;
  }
}
