import type { Capabilities } from "@talaria/adapter";
import type { EmailConfig } from "./config.ts";

export const mebibyte = 1024 * 1024;

/** Nobody wants a longer mail; servers would take more. */
export const maxTextLength = 100_000;
export const maxFiles = 10;

export function capabilitiesOf({ limits, pace }: Pick<EmailConfig, "limits" | "pace">): Capabilities {
  return {
    maxTextLength,
    markup: "rich",
    streaming: "none",
    minUpdateIntervalMs: 0,
    conversationPace: pace,
    idempotentSend: false,
    edit: false,
    delete: false,
    react: false,
    typing: false,
    typingLastsMs: 0,
    threads: true,
    media: {
      receive: true,
      send: true,
      maxReceiveBytes: limits.messageBytes,
      maxSendBytes: limits.sendBytes,
      maxPerMessage: maxFiles,
      maxCaptionLength: maxTextLength,
    },
    choices: { max: 0, maxLabelLength: 0 },
  };
}
