import type { Adapter, AdapterDeps } from "@talaria/adapter";
import { type AccountId, brandAs, type Conversation, type ConversationId } from "@talaria/protocol";
import { adapterDeps, type DepsFacts, memoryStore } from "@talaria/testkit";
import { createEmailAdapter } from "../adapter.ts";
import { type EmailConfig, emailConfigSchema } from "../config.ts";
import { type MailServer, type MailServerOptions, startMailServer } from "../emulator/index.ts";

const accountId = brandAs<AccountId>("mail-main");
export const ada = { address: "ada@people.test", from: "Ada Lovelace <ada@people.test>" } as const;

/** A mail server, what an adapter remembers between starts, and adapters plugged into both. */
export interface MailWorld {
  readonly server: MailServer;
  readonly store: ReturnType<typeof memoryStore>;
  make(settings?: Partial<Record<keyof EmailConfig, unknown>>, facts?: DepsFacts): Adapter;
}

export async function makeWorld(options: MailServerOptions = {}): Promise<MailWorld> {
  const server = await startMailServer(options);
  const store = memoryStore();
  return {
    server,
    store,
    make(settings = {}, facts = {}) {
      const deps: AdapterDeps = adapterDeps({ id: accountId, store, ...facts });
      return createEmailAdapter(emailConfigSchema.parse({ ...server.settings, ...settings }), deps);
    },
  };
}

export function conversation(facts: Partial<Conversation> = {}): Conversation {
  return {
    accountId,
    platform: "email",
    conversationId: brandAs<ConversationId>(ada.address),
    kind: "direct",
    ...facts,
  };
}
