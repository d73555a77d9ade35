import type { Capabilities } from "@talaria/adapter";

/** What the platform can do. Begin with little: what is absent the platform cannot do, and the suite tries what is there. */
export const capabilities: Capabilities = {
  maxTextLength: 2_000,
  formatting: { headings: false, tables: false, codeBlocks: false, links: false },
  conversationPace: { burst: 1, refillMs: 1_000 },
  idempotentSend: false,
};
