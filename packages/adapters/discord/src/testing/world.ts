import type { AdapterDeps } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type OutboundMessage,
} from "@talaria/protocol";
import { adapterDeps, memoryStore, messageTo, startAdapter } from "@talaria/testkit";
import { createDiscordAdapter } from "../adapter.ts";
import { discordConfigSchema } from "../config.ts";
import { type DiscordServerOptions, startDiscordServer } from "../emulator/index.ts";

export const accountId = brandAs<AccountId>("discord-main");

export interface WorldOptions extends DiscordServerOptions {
  readonly settings?: object;
  readonly deps?: Partial<AdapterDeps>;
}

/** A server with Ada, her direct channel and a channel of a guild, and an adapter that is not started. */
export async function makeWorld({ deps, ...options }: WorldOptions = {}) {
  const server = await startDiscordServer(options);
  const ada = server.user("ada", { globalName: "Ada Lovelace" });
  const guild = server.guild("Engines");
  const channel = server.channel(guild, "general");
  const direct = server.direct(ada);
  const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api, ...options.settings });
  const store = memoryStore();
  const files: Record<string, Uint8Array> = {};
  const make = () => createDiscordAdapter(config, adapterDeps({ id: accountId, store, files, ...deps }));
  return { server, ada, guild, channel, direct, store, files, make };
}

/** The same with the adapter started, all gone with the scope. */
export async function openWorld(options: WorldOptions = {}) {
  const world = await makeWorld(options);
  return { ...world, ...(await startAdapter(world.make(), world.server)) };
}

export function conversation(id: string, more: Partial<Conversation> = {}): Conversation {
  return { accountId, platform: "discord", conversationId: brandAs<ConversationId>(id), kind: "group", ...more };
}

export function message(id: string, markdown: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return messageTo(conversation(id), markdown, more);
}
