import type { Capabilities } from "@talaria/adapter";
import { maxChoices, maxLabelLength, maxRows } from "./choices.ts";
import type { DiscordConfig } from "./config.ts";

/** Characters of a message in Discord's dialect; counted in UTF-16 units, which are never fewer. */
export const maxTextLength = 2_000;
/** What a bot may upload as one file without a boosted server. */
export const maxFileBytes = 10 * 1024 * 1024;
/** Files of one message. */
export const maxFiles = 10;

export function capabilitiesOf({ pace, updateIntervalMs }: DiscordConfig): Capabilities {
  return {
    maxTextLength,
    formatting: { headings: true, tables: false, codeBlocks: true, links: true },
    conversationPace: pace,
    idempotentSend: true,
    edit: { minIntervalMs: updateIntervalMs },
    typing: { lastsMs: 10_000 },
    threads: "talks",
    receive: { maxBytes: maxFileBytes },
    send: { maxBytes: maxFileBytes, maxPerMessage: maxFiles, maxCaptionLength: maxTextLength },
    choices: { max: maxChoices, maxRows, maxLabelLength, close: true },
  };
}
