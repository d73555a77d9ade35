import { badRequest } from "../api-error.ts";
import type { ChatMessage, ChatState } from "../chat-state.ts";
import type { FormattedText } from "../entities.ts";
import { isInvisible, maxCaptionLength, maxTextLength, readFormattedText } from "../formatted-text.ts";
import { readRichMessage } from "../rich-message.ts";
import { toWire } from "../wire.ts";
import type { Method, MethodCall } from "./method.ts";
import { readReplyMarkup } from "./reply-markup.ts";
import { payFor, targetChat, targetMessage, targetReply, targetThread } from "./target.ts";

export const sendMessage: Method = (call) => {
  const { world, bot, parameters } = call;
  const chat = targetChat(call);
  const body = readMessageText(call);
  const threadId = targetThread(chat, call);
  const reply = targetReply(chat, call);
  const markup = readReplyMarkup(parameters);
  parameters.object("link_preview_options");
  payFor(chat, call);
  const message = world.postAsBot(bot, chat, {
    ...body,
    ...reply,
    ...(threadId !== undefined && { threadId }),
    ...(markup && { markup }),
    silent: parameters.flag("disable_notification"),
  });
  return toWire(chat, message, bot.user.id);
};

export const editMessageText: Method = (call) => {
  const chat = targetChat(call);
  const rich = call.bot.knowsRichMessages ? call.parameters.object("rich_message") : undefined;
  const body = rich === undefined ? readMessageText(call) : richBody(rich);
  const message = ownMessage(chat, call);
  if (message.media) throw badRequest("there is no text in the message to edit");
  call.parameters.object("link_preview_options");
  return edit(chat, message, body, call);
};

export const editMessageCaption: Method = (call) => {
  const chat = targetChat(call);
  const body = readCaption(call);
  const message = ownMessage(chat, call);
  if (!message.media) throw badRequest("there is no caption in the message to edit");
  return edit(chat, message, body, call);
};

export const editMessageReplyMarkup: Method = (call) => {
  const chat = targetChat(call);
  const message = ownMessage(chat, call);
  return edit(chat, message, message, call);
};

function richBody(message: Readonly<Record<string, unknown>>) {
  const { blocks, text } = readRichMessage(message);
  return { text, entities: [], rich: blocks };
}

/** The text of a message or an edit: 1 to 4096 UTF-16 units that people can see. */
function readMessageText({ parameters }: MethodCall): FormattedText {
  if (!parameters.has("text")) throw badRequest("message text is empty");
  const body = readFormattedText(parameters, { text: "text", entities: "entities" });
  if (isInvisible(body.text)) throw badRequest("text must be non-empty");
  if (body.text.length > maxTextLength) throw badRequest("message is too long");
  return body;
}

/** The caption of a medium: 0 to 1024 UTF-16 units. */
export function readCaption({ parameters }: Pick<MethodCall, "parameters">): FormattedText {
  const caption = readFormattedText(parameters, { text: "caption", entities: "caption_entities" });
  if (caption.text.length > maxCaptionLength) throw badRequest("message caption is too long");
  return caption;
}

function ownMessage(chat: ChatState, call: MethodCall): ChatMessage {
  const message = targetMessage(chat, call, "to edit");
  if (message.from.id !== call.bot.user.id || message.service) throw badRequest("message can't be edited");
  return message;
}

/** Writes the new content and keyboard; leaving the keyboard out removes it. Refuses an edit that changes nothing. */
function edit(
  chat: ChatState,
  message: ChatMessage,
  body: Pick<ChatMessage, "text" | "entities" | "rich">,
  call: MethodCall,
) {
  const { world, bot, parameters } = call;
  const markup = readReplyMarkup(parameters);
  const before = JSON.stringify([message.text, message.entities, message.rich, message.markup]);
  if (before === JSON.stringify([body.text, body.entities, body.rich, markup])) {
    const same = "specified new message content and reply markup are exactly the same";
    throw badRequest(`message is not modified: ${same} as a current content and reply markup of the message`);
  }
  payFor(chat, call);
  if (markup) message.markup = markup;
  else delete message.markup;
  chat.rewrite(message, body, world.now());
  return toWire(chat, message, bot.user.id);
}
