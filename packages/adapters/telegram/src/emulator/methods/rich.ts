import { ApiError } from "../api-error.ts";
import { readRichMessage } from "../rich-message.ts";
import { toWire } from "../wire.ts";
import type { Method } from "./method.ts";
import { readReplyMarkup } from "./reply-markup.ts";
import { payFor, targetChat, targetReply, targetThread } from "./target.ts";

/** An older server does not know the method. */
export const sendRichMessage: Method = (call) => {
  const { world, bot, parameters } = call;
  if (!bot.knowsRichMessages) throw new ApiError(404, "Not Found");
  const chat = targetChat(call);
  const { blocks, text } = readRichMessage(parameters.object("rich_message") ?? {});
  const threadId = targetThread(chat, call);
  const reply = targetReply(chat, call);
  const markup = readReplyMarkup(parameters);
  payFor(chat, call);
  const message = world.postAsBot(bot, chat, {
    text,
    entities: [],
    rich: blocks,
    ...reply,
    ...(threadId !== undefined && { threadId }),
    ...(markup && { markup }),
    silent: parameters.flag("disable_notification"),
  });
  return toWire(chat, message, bot.user.id);
};
