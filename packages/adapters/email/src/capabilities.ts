import type { Capabilities } from "@talaria/adapter";
import type { EmailConfig } from "./config.ts";

/** Nobody wants a longer mail; servers would take more. */
export const maxTextLength = 100_000;
export const maxFiles = 10;

export function capabilitiesOf({ limits, pace }: Pick<EmailConfig, "limits" | "pace">): Capabilities {
  return {
    maxTextLength,
    formatting: { headings: true, tables: true, codeBlocks: true, links: true },
    conversationPace: pace,
    idempotentSend: false,
    receive: { maxBytes: limits.messageBytes },
    send: { maxBytes: limits.sendBytes, maxPerMessage: maxFiles, sharesBytes: true, maxCaptionLength: maxTextLength },
  };
}
