import type { Capabilities, ConversationCapabilities } from "@talaria/adapter";
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
/** Files of one album, which has at least two. */
export const maxAlbumItems = 10;
/** Larger pictures go as files. */
export const maxPhotoBytes = 10 * 1024 * 1024;
const typing = { lastsMs: 5_000 };

/** What a private chat can do while the server knows drafts. */
export function capabilitiesOf(config: TelegramConfig): Capabilities {
  const { richMessages, updateIntervalsMs, paces } = config;
  return {
    maxTextLength,
    formatting: { headings: richMessages, tables: richMessages, codeBlocks: true, links: true },
    conversationPace: paces.direct,
    idempotentSend: false,
    view: { minIntervalMs: updateIntervalsMs.draft },
    edit: { minIntervalMs: updateIntervalsMs.direct },
    typing,
    threads: "rooms",
    cutsTextAt: maxTextLength,
    receive: { maxBytes: maxDownloadBytes },
    send: { maxBytes: maxUploadBytes, maxPerMessage: maxAlbumItems, albums: true, maxCaptionLength },
    choices: { max: maxChoices, maxLabelLength, close: true },
  };
}

/** Replies grow by edits in groups, and slowly; in private chats by edits where the server does not know drafts. */
export function capabilitiesIn(
  conversation: Conversation,
  config: TelegramConfig,
  serverKnowsDrafts: boolean,
): ConversationCapabilities {
  const { updateIntervalsMs, paces } = config;
  if (conversation.guest) return { conversationPace: paces.group };
  if (conversation.kind !== "direct")
    return { conversationPace: paces.group, edit: { minIntervalMs: updateIntervalsMs.group }, typing };
  const edit = { minIntervalMs: updateIntervalsMs.direct };
  return {
    conversationPace: paces.direct,
    ...(serverKnowsDrafts && { view: { minIntervalMs: updateIntervalsMs.draft } }),
    edit,
    typing,
  };
}
