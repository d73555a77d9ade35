import { badRequest } from "../api-error.ts";
import { maxTextLength, readFormattedText } from "../formatted-text.ts";
import type { Method } from "./method.ts";
import { targetChat, targetThread } from "./target.ts";

/** Shows a preview for 30 s in a private chat. An empty text shows the placeholder of Telegram's apps. */
export const sendMessageDraft: Method = (call) => {
  const { world, bot, parameters } = call;
  const chat = targetChat(call);
  if (chat.isGroup) throw badRequest("TEXTDRAFT_PEER_INVALID");
  const draftId = parameters.integer("draft_id") ?? 0;
  if (draftId === 0) throw badRequest("RANDOM_ID_INVALID");
  const body = readFormattedText(parameters, { text: "text", entities: "entities" });
  if (body.text.length > maxTextLength) throw badRequest("message is too long");
  const threadId = targetThread(chat, call);
  bot.limits?.admit(undefined, 1, world.now());
  chat.showDraft({
    ...body,
    draftId,
    canStop: parameters.flag("can_stop"),
    keepOnStop: parameters.flag("keep_on_stop"),
    at: world.now(),
    ...(threadId !== undefined && { threadId }),
  });
  return true;
};
