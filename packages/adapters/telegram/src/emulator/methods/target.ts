import { ApiError, badRequest, forbidden } from "../api-error.ts";
import type { ChatMessage, ChatState } from "../chat-state.ts";
import type { MethodCall } from "./method.ts";

/** The forum topic that exists in every forum. Messages reach it without a thread id; with it they are refused. */
export const generalTopicId = 1;

/** The chat a call is about. Throws what Telegram answers when the bot cannot act there. */
export function targetChat({ world, bot, parameters }: MethodCall): ChatState {
  if (!parameters.has("chat_id")) throw badRequest("chat_id is empty");
  const id = Number(parameters.text("chat_id"));
  if (!Number.isSafeInteger(id)) throw badRequest("chat not found");
  const chat = world.chatFor(bot, id);
  if (chat === undefined) {
    if (world.users.has(id)) throw forbidden("bot can't initiate conversation with a user");
    throw badRequest("chat not found");
  }
  if (chat.migratedTo !== undefined) {
    throw new ApiError(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: chat.migratedTo,
    });
  }
  if (chat.blocked) throw forbidden("bot was blocked by the user");
  const place = chat.kind === "supergroup" ? "supergroup" : "group";
  const status = chat.bots.get(bot.user.id);
  if (status === "kicked") throw forbidden(`bot was kicked from the ${place} chat`);
  if (status === "left") throw forbidden(`bot is not a member of the ${place} chat`);
  if (status === undefined) throw badRequest("chat not found");
  return chat;
}

/** The thread a message goes to, or undefined for the chat itself. */
export function targetThread(chat: ChatState, { parameters }: MethodCall): number | undefined {
  const id = parameters.integer("message_thread_id");
  if (id === undefined || id === 0) return undefined;
  const topic = chat.topics.get(id);
  if (topic !== undefined && !topic.deleted) {
    if (topic.closed) throw badRequest("TOPIC_CLOSED");
    return id;
  }
  const isReplyThread = chat.kind === "supergroup" && !chat.isForum && chat.find(id) !== undefined;
  if (!isReplyThread) throw badRequest("message thread not found");
  return id;
}

/** Reads `reply_parameters`, or the older `reply_to_message_id`. */
export function targetReply(chat: ChatState, { parameters }: MethodCall): { replyTo?: number; quote?: string } {
  const reply = parameters.object("reply_parameters");
  const id = Number(reply?.message_id ?? parameters.integer("reply_to_message_id") ?? 0);
  if (id === 0) return {};
  const answered = chat.find(id);
  if (answered === undefined) {
    if (reply?.allow_sending_without_reply || parameters.flag("allow_sending_without_reply")) return {};
    throw badRequest("message to be replied not found");
  }
  const quote = reply?.quote;
  if (typeof quote !== "string" || quote === "") return { replyTo: id };
  if (!answered.text.includes(quote)) throw badRequest("QUOTE_TEXT_INVALID");
  return { replyTo: id, quote };
}

/** A message that `message_id` names; `purpose` completes the refusal, as in "message to edit not found". */
export function targetMessage(chat: ChatState, { parameters }: MethodCall, purpose: string): ChatMessage {
  const id = parameters.integer("message_id");
  const message = id === undefined ? undefined : chat.find(id);
  if (message === undefined) throw badRequest(`message ${purpose} not found`);
  return message;
}

/** Checks that the bot may write here and counts a call that posts or edits; throws 400 or 429. */
export function payFor(chat: ChatState, { world, bot }: MethodCall, cost = 1): void {
  if (chat.bots.get(bot.user.id) === "restricted") {
    throw badRequest("not enough rights to send text messages to the chat");
  }
  bot.limits?.admit({ id: chat.id, isGroup: chat.isGroup }, cost, world.now());
}
