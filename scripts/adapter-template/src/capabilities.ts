import type { Capabilities } from "@talaria/adapter";

/** What the platform can do. Begin with little: each capability that is on demands a method, and the suite tries it. */
export const capabilities: Capabilities = {
  maxTextLength: 2_000,
  markup: "none",
  streaming: "none",
  minUpdateIntervalMs: 0,
  conversationPace: { burst: 1, refillMs: 1_000 },
  idempotentSend: false,
  edit: false,
  delete: false,
  react: false,
  typing: false,
  typingLastsMs: 0,
  threads: false,
  media: { receive: false, send: false, maxReceiveBytes: 0, maxSendBytes: 0, maxPerMessage: 0, maxCaptionLength: 0 },
  choices: { max: 0, maxLabelLength: 0 },
};
