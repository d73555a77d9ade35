import type { Capabilities } from "@talaria/adapter";
import type { Conversation } from "@talaria/protocol";
import type { SlackConfig } from "./config.ts";

/** Characters of a `markdown` block, counted in UTF-16 units, which are never fewer. */
export const maxTextLength = 12_000;
/** Files of one message; Slack itself takes files of 1 GB. */
export const maxFiles = 10;
export const maxFileBytes = 50 * 1024 * 1024;
/** Buttons of one `actions` block, and characters on one. */
const maxButtons = 25;
export const maxLabelLength = 75;
/** Slack takes a status away after this. */
const statusLastsMs = 120_000;

export function capabilitiesOf({ pace, updateIntervalMs }: SlackConfig): Capabilities {
  return {
    maxTextLength,
    markup: "rich",
    streaming: "native",
    minUpdateIntervalMs: updateIntervalMs,
    conversationPace: pace,
    idempotentSend: false,
    edit: true,
    delete: true,
    react: true,
    typing: true,
    typingLastsMs: statusLastsMs,
    threads: true,
    media: {
      receive: true,
      send: true,
      maxReceiveBytes: maxFileBytes,
      maxSendBytes: maxFileBytes,
      maxPerMessage: maxFiles,
      maxCaptionLength: maxTextLength,
    },
    choices: { max: maxButtons, maxLabelLength },
  };
}

/**
 * Streams and the status line exist only in threads; a stream in a channel is written for one reader, who has to be
 * known.
 */
export function narrowed(whole: Capabilities, { threadId, kind }: Conversation, knowsReader: boolean): Capabilities {
  if (threadId === undefined) return { ...whole, streaming: "edit", typing: false, typingLastsMs: 0 };
  return kind === "direct" || knowsReader ? whole : { ...whole, streaming: "edit" };
}
