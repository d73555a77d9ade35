import type { AdapterDeps, AdapterStore } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type OutboundMessage,
} from "@talaria/protocol";
import { adapterDeps, memoryStore, messageTo, startAdapter } from "@talaria/testkit";
import { createMatrixAdapter } from "../adapter.ts";
import { matrixConfigSchema } from "../config.ts";
import { startMatrixServer } from "../emulator/index.ts";

const accountId = brandAs<AccountId>("matrix-main");

export interface WorldOptions {
  /** Settings beside those of the stub homeserver. Encryption is off unless told otherwise. */
  readonly settings?: object;
  readonly store?: AdapterStore;
  readonly deps?: Partial<AdapterDeps>;
}

/** A homeserver with Ada and Bob in one room with the bot, and an adapter that is not started. */
export async function makeWorld({ settings, deps }: WorldOptions = {}) {
  const server = await startMatrixServer();
  const ada = server.person("ada", "Ada Lovelace");
  const bob = server.person("bob", "Bob");
  const room = server.room({ name: "Engines", people: [ada, bob] });
  const store = memoryStore();
  const files: Record<string, Uint8Array> = {};
  const config = matrixConfigSchema.parse({
    homeserver: server.url,
    accessToken: server.token,
    encryption: false,
    ...settings,
  });
  const make = () => createMatrixAdapter(config, adapterDeps({ id: accountId, store, files, ...deps }));
  return { server, ada, bob, room, store, files, make };
}

/** The same with the adapter started, all gone with the scope. */
export async function openWorld(options: WorldOptions = {}) {
  const world = await makeWorld(options);
  return { ...world, ...(await startAdapter(world.make(), world.server)) };
}

export function conversation(id: string, more: Partial<Conversation> = {}): Conversation {
  return { accountId, platform: "matrix", conversationId: brandAs<ConversationId>(id), kind: "group", ...more };
}

export function message(id: string, markdown: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return messageTo(conversation(id), markdown, more);
}
