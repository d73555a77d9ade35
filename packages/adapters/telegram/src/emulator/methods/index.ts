import { sendMessageDraft } from "./draft.ts";
import { answerGuestQuery } from "./guest.ts";
import {
  close,
  deleteMyCommands,
  getChat,
  getChatMember,
  getMe,
  getMyCommands,
  leaveChat,
  logOut,
  setMyCommands,
} from "./info.ts";
import {
  getFile,
  sendAnimation,
  sendAudio,
  sendDocument,
  sendMediaGroup,
  sendPhoto,
  sendVideo,
  sendVoice,
} from "./media.ts";
import {
  answerCallbackQuery,
  deleteMessage,
  deleteMessages,
  sendChatAction,
  setMessageReaction,
} from "./message-actions.ts";
import type { Method } from "./method.ts";
import { sendRichMessage } from "./rich.ts";
import { editMessageCaption, editMessageReplyMarkup, editMessageText, sendMessage } from "./text.ts";
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from "./updates.ts";

const implemented: Record<string, Method> = {
  answerCallbackQuery,
  answerGuestQuery,
  close,
  deleteMessage,
  deleteMessages,
  deleteWebhook,
  editMessageCaption,
  editMessageReplyMarkup,
  editMessageText,
  getChat,
  getChatMember,
  getFile,
  getMe,
  getMyCommands,
  getUpdates,
  getWebhookInfo,
  leaveChat,
  logOut,
  sendAnimation,
  sendAudio,
  sendChatAction,
  sendDocument,
  sendMediaGroup,
  sendMessage,
  sendMessageDraft,
  sendPhoto,
  sendRichMessage,
  sendVideo,
  sendVoice,
  setMessageReaction,
  setMyCommands,
  deleteMyCommands,
  setWebhook,
};

const byLowerCase = new Map(Object.entries(implemented).map(([name, run]) => [name.toLowerCase(), { name, run }]));

/** Finds a method; the Bot API ignores case in method names. */
export function findMethod(name: string): { readonly name: string; readonly run: Method } | undefined {
  return byLowerCase.get(name.toLowerCase());
}
