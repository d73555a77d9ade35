import type { Capabilities } from "@talaria/adapter";
import { choiceKeys, maxLabelLength } from "./choices.ts";
import type { MatrixConfig } from "./config.ts";

/**
 * An event has at most 65,536 bytes (specification, size limits). Encryption makes it a third longer, and the text is
 * in it twice, plain and as HTML: `measure` counts both. Well below that, since each update of a growing reply carries it
 * all and is kept by every server of the room.
 */
export const maxEventTextBytes = 24_000;

/** Held in memory when it is encrypted. Many servers take 50 MB. */
export const maxFileBytes = 25 * 1_024 * 1_024;

/** How long one typing notice shows. */
export const typingLastsMs = 20_000;

export function capabilitiesOf({
  pace,
  updateIntervalMs,
}: Pick<MatrixConfig, "pace" | "updateIntervalMs">): Capabilities {
  return {
    maxTextLength: maxEventTextBytes,
    formatting: { headings: true, tables: true, codeBlocks: true, links: true },
    conversationPace: pace,
    idempotentSend: true,
    edit: { minIntervalMs: updateIntervalMs },
    typing: { lastsMs: typingLastsMs },
    threads: "talks",
    receive: { maxBytes: maxFileBytes },
    send: { maxBytes: maxFileBytes, maxPerMessage: 1, maxCaptionLength: maxEventTextBytes },
    choices: { max: choiceKeys.length, maxLabelLength, byPlace: true },
  };
}
