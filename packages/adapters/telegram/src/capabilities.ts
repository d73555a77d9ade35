import type { Capabilities } from "@talaria/adapter";
import type { Conversation } from "@talaria/protocol";
import { maxChoices, maxLabelLength } from "./choices.ts";
import type { TelegramConfig } from "./config.ts";

/** UTF-16 units of a message's text after conversion. */
export const maxTextLength = 4_096;
/** UTF-16 units of the text below a file. */
export const maxCaptionLength = 1_024;
/** What a bot may download from the public Bot API. */
export const maxDownloadBytes = 20 * 1024 * 1024;
/** What a bot may upload to the public Bot API. */
export const maxUploadBytes = 50 * 1024 * 1024;
/** Larger pictures go as files. */
export const maxPhotoBytes = 10 * 1024 * 1024;

/** The capabilities of a private chat while the server knows drafts. */
export function capabilitiesOf(config: TelegramConfig): Capabilities {
  return {
    maxTextLength,
    markup: "rich",
    streaming: "native",
    minUpdateIntervalMs: config.updateIntervalsMs.draft,
    conversationPace: config.paces.direct,
    idempotentSend: false,
    edit: true,
    delete: true,
    react: true,
    typing: true,
    typingLastsMs: 5_000,
    threads: true,
    media: {
      receive: true,
      send: true,
      maxReceiveBytes: maxDownloadBytes,
      maxSendBytes: maxUploadBytes,
      maxPerMessage: 1,
      maxCaptionLength,
    },
    choices: { max: maxChoices, maxLabelLength },
  };
}

/** Groups stream by edits and slowly; private chats stream by edits where the server does not know drafts. */
export function capabilitiesIn(
  conversation: Conversation,
  config: TelegramConfig,
  serverKnowsDrafts: boolean,
): Capabilities {
  const direct = capabilitiesOf(config);
  const { updateIntervalsMs, paces } = config;
  if (conversation.kind !== "direct")
    return {
      ...direct,
      streaming: "edit",
      minUpdateIntervalMs: updateIntervalsMs.group,
      conversationPace: paces.group,
    };
  if (!serverKnowsDrafts) return { ...direct, streaming: "edit", minUpdateIntervalMs: updateIntervalsMs.direct };
  return direct;
}
