import type { Capabilities } from "@talaria/adapter";

export const maxTextLength = 4_096;
export const maxCaptionLength = 1_024;
/** Files are held in memory while they are encrypted. */
export const maxFileBytes = 64 * 1024 * 1024;

/** A linked device, direct and in groups. Slow on purpose: accounts that write fast are banned. */
export const webCapabilities: Capabilities = {
  maxTextLength,
  formatting: { headings: false, tables: false, codeBlocks: true, links: false },
  conversationPace: { burst: 5, refillMs: 2_000 },
  accountPace: { burst: 10, refillMs: 1_000 },
  idempotentSend: false,
  typing: { lastsMs: 10_000 },
  receive: { maxBytes: maxFileBytes },
  send: { maxBytes: maxFileBytes, maxPerMessage: 1, maxCaptionLength },
};
