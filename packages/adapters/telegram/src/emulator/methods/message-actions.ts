import type { ReactionType } from "grammy/types";
import { badRequest } from "../api-error.ts";
import { availableReactions } from "../reactions.ts";
import type { Method } from "./method.ts";
import { generalTopicId, targetChat, targetMessage, targetThread } from "./target.ts";

const chatActions = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);
const maxCallbackAnswerLength = 200;

export const deleteMessage: Method = (call) => {
  const chat = targetChat(call);
  const message = targetMessage(chat, call, "to delete");
  const mayDelete =
    !chat.isGroup || message.from.id === call.bot.user.id || chat.bots.get(call.bot.user.id) === "administrator";
  if (!mayDelete) throw badRequest("message can't be deleted");
  chat.remove(message);
  return true;
};

/** Deletes what it finds; unknown ids are skipped. */
export const deleteMessages: Method = (call) => {
  const chat = targetChat(call);
  const ids = (call.parameters.list("message_ids") ?? []).map(Number);
  if (ids.length === 0 || ids.length > 100) throw badRequest("message identifiers are not specified");
  for (const message of ids.map((id) => chat.find(id))) if (message) chat.remove(message);
  return true;
};

/** Unlike messages, an action reaches the General topic of a forum only with its id. */
export const sendChatAction: Method = (call) => {
  const { world, parameters } = call;
  const chat = targetChat(call);
  const action = parameters.text("action").toLowerCase();
  if (!chatActions.has(action)) throw badRequest("wrong parameter action in request");
  const isGeneral = chat.isForum && parameters.integer("message_thread_id") === generalTopicId;
  const threadId = isGeneral ? generalTopicId : targetThread(chat, call);
  chat.showActivity({ action, at: world.now(), ...(threadId !== undefined && { threadId }) });
  return true;
};

export const setMessageReaction: Method = (call) => {
  const chat = targetChat(call);
  const message = targetMessage(chat, call, "to react");
  const reactions = (call.parameters.list("reaction") ?? []) as ReactionType[];
  if (reactions.length > 1) throw badRequest("REACTIONS_TOO_MANY");
  for (const reaction of reactions) {
    if (reaction.type !== "emoji" || !isAvailable(reaction.emoji)) throw badRequest("REACTION_INVALID");
  }
  message.reactions.set(call.bot.user.id, reactions);
  chat.tell({ type: "reacted", message });
  return true;
};

export const answerCallbackQuery: Method = ({ bot, parameters }) => {
  const id = parameters.text("callback_query_id");
  const query = bot.callbackQueries.get(id);
  if (query === undefined) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  const text = parameters.text("text");
  if (text.length > maxCallbackAnswerLength) throw badRequest("MESSAGE_TOO_LONG");
  bot.callbackQueries.delete(id);
  query.answer({ text, showAlert: parameters.flag("show_alert") });
  return true;
};

/** The emoji may carry a variation selector, as keyboards write it. */
function isAvailable(emoji: string): boolean {
  return availableReactions.has(emoji) || availableReactions.has(emoji.replaceAll("\ufe0f", ""));
}
