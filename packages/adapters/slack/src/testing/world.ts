import type { AdapterDeps } from "@talaria/adapter";
import { type AccountId, brandAs, type Conversation, type ConversationId, type ThreadId } from "@talaria/protocol";
import { adapterDeps, memoryStore, startAdapter } from "@talaria/testkit";
import { createSlackAdapter } from "../adapter.ts";
import { slackConfigSchema } from "../config.ts";
import { type SlackServerOptions, startSlackServer } from "../emulator/index.ts";
import { serveRoutes } from "./route-server.ts";

const accountId = brandAs<AccountId>("slack-main");

export interface WorldOptions extends SlackServerOptions {
  readonly mode?: "socket" | "http";
  readonly settings?: object;
  readonly deps?: Partial<AdapterDeps>;
}

/** A workspace with Ada, her direct conversation and a channel, and an adapter that is not started. */
export async function makeWorld({ mode = "socket", settings, deps, ...options }: WorldOptions = {}) {
  const redelivery = { silenceMs: 3_000, pausesMs: [10, 20, 50, 100, 200, 400] };
  const server = await startSlackServer({ redelivery, ...options });
  const ada = server.user("ada", { realName: "Ada Lovelace" });
  const channel = server.channel("general");
  const direct = server.direct(ada);
  const { botToken, appToken, signingSecret } = server;
  const way = mode === "socket" ? { appToken } : { signingSecret };
  const config = slackConfigSchema.parse({ botToken, ...way, apiRoot: server.api, ...settings });
  const store = memoryStore();
  const files: Record<string, Uint8Array> = { sample: Buffer.from("one,two\n1,2\n") };
  const make = () => createSlackAdapter(config, adapterDeps({ id: accountId, store, files, ...deps }));
  return { server, ada, channel, direct, store, files, config, mode, make };
}

/** The same with the adapter started, all gone with the scope. */
export async function openWorld(options: WorldOptions = {}) {
  const world = await makeWorld(options);
  const adapter = world.make();
  const web = world.mode === "http" ? await serveRoutes(adapter) : undefined;
  const push = web && world.server.pushTo(web.url);
  const stop = async () => {
    await web?.close();
    await world.server.stop();
  };
  return { ...world, web, push, ...(await startAdapter(adapter, { stop })) };
}

export function conversation(id: string, thread?: string): Conversation {
  return {
    accountId,
    platform: "slack",
    conversationId: brandAs<ConversationId>(id),
    kind: id.startsWith("D") ? "direct" : "group",
    ...(thread === undefined ? {} : { threadId: brandAs<ThreadId>(thread) }),
  };
}
