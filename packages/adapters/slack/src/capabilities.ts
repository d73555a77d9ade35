import type { Capabilities, ConversationCapabilities } from "@talaria/adapter";
import type { Conversation } from "@talaria/protocol";
import type { SlackConfig } from "./config.ts";

/** Characters of a `markdown` block, counted in UTF-16 units, which are never fewer. */
export const maxTextLength = 12_000;
/** Characters of all texts in the blocks of a message. Slack does not write it down: see `message-size.ts`. */
export const heaviestMessage = 13_000;
/** Files of one message; Slack itself takes files of 1 GB. */
export const maxFiles = 10;
export const maxFileBytes = 50 * 1024 * 1024;
/** Options of a menu (docs.slack.dev/reference/block-kit/block-elements/select-menu-element#static_select), and characters of one. */
const maxChoices = 100;
export const maxLabelLength = 75;
/** Slack takes a status away after this. */
export const statusLastsMs = 120_000;

export function capabilitiesOf({ pace, updateIntervalMs }: SlackConfig): Capabilities {
  return {
    maxTextLength,
    formatting: { headings: true, tables: true, codeBlocks: true, links: true },
    conversationPace: pace,
    idempotentSend: false,
    view: { minIntervalMs: updateIntervalMs, appends: true },
    edit: { minIntervalMs: updateIntervalMs },
    typing: { lastsMs: statusLastsMs, words: true },
    privateTo: true,
    threads: "talks",
    receive: { maxBytes: maxFileBytes },
    send: { maxBytes: maxFileBytes, maxPerMessage: maxFiles, maxCaptionLength: maxTextLength },
    choices: { max: maxChoices, maxLabelLength, close: true },
  };
}

/**
 * Streams and the status line exist only in threads; a stream in a channel is written for one reader, who has to be known.
 * `chat.startStream` without `thread_ts` is answered with `invalid_thread_ts`, except in channels that are one session as a whole,
 * as those of Slack Code are (docs.slack.dev/reference/methods/chat.startStream).
 */
export function capabilitiesIn(
  { threadId, kind }: Conversation,
  { pace: conversationPace, updateIntervalMs: minIntervalMs }: SlackConfig,
  canStream: boolean,
  knowsReader: boolean,
): ConversationCapabilities {
  const outside = { conversationPace, edit: { minIntervalMs } };
  if (threadId === undefined) return outside;
  const inside = { ...outside, typing: { lastsMs: statusLastsMs, words: true as const } };
  return canStream && (kind === "direct" || knowsReader)
    ? { ...inside, view: { minIntervalMs, appends: true } }
    : inside;
}
