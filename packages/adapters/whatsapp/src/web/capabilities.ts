import type { Capabilities } from "@talaria/adapter";

/** Files are held in memory while they are encrypted. */
export const maxFileBytes = 64 * 1024 * 1024;

/** A linked device, direct and in groups. Slow on purpose: accounts that write fast are banned. */
export const webCapabilities: Capabilities = {
  maxTextLength: 4_096,
  markup: "basic",
  streaming: "none",
  minUpdateIntervalMs: 0,
  conversationPace: { burst: 5, refillMs: 2_000 },
  accountPace: { burst: 10, refillMs: 1_000 },
  idempotentSend: false,
  edit: false,
  delete: false,
  react: true,
  typing: true,
  typingLastsMs: 10_000,
  threads: false,
  media: {
    receive: true,
    send: true,
    maxReceiveBytes: maxFileBytes,
    maxSendBytes: maxFileBytes,
    maxPerMessage: 1,
    maxCaptionLength: 1_024,
  },
  choices: { max: 0, maxLabelLength: 0 },
};
