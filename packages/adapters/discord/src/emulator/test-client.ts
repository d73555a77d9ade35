import { Client, DiscordAPIError, GatewayIntentBits, type Message, Partials } from "discord.js";
import { type DiscordServer, type DiscordServerOptions, startDiscordServer } from "./server.ts";

const intents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.DirectMessageReactions,
];

/** A client of discord.js for this server, with `received` filled by its messages. Not logged in. */
export function makeClient(server: DiscordServer, { withContent = true } = {}) {
  const client = new Client({
    intents: withContent ? [...intents, GatewayIntentBits.MessageContent] : intents,
    partials: [Partials.Channel, Partials.Message, Partials.Reaction, Partials.User],
    allowedMentions: { parse: [] },
    // New sessions would be opened five seconds apart.
    ws: { buildIdentifyThrottler: () => ({ waitForIdentify: async () => undefined }) },
    rest: { api: server.api, retries: 0, timeout: 3_000 },
  });
  const received: Message[] = [];
  client.on("error", () => undefined);
  client.on("shardError", () => undefined);
  client.on("messageCreate", (message) => {
    if (message.author.id !== server.bot.id) received.push(message);
  });
  return { client, received, texts: () => received.map(({ content }) => content) };
}

/** A server with Ada, a channel, and a client that is logged in. All gone with the scope. */
export async function openWorld(options: DiscordServerOptions & { readonly withContent?: boolean } = {}) {
  const server = await startDiscordServer(options);
  const ada = server.user("ada", { globalName: "Ada" });
  const guild = server.guild("Engines");
  const channel = server.channel(guild, "general");
  const made = makeClient(server, { withContent: options.withContent ?? true });
  const ready = new Promise((resolve) => made.client.once("clientReady", resolve));
  await made.client.login(server.token);
  await ready;
  const close = async () => {
    await made.client.destroy();
    await server.stop();
  };
  return { server, ada, guild, channel, ...made, [Symbol.asyncDispose]: close };
}

/** Waits until `condition` holds, at most five seconds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + 5_000; !condition(); ) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** `status/code` of the refusal that a call meets. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no refusal",
    (error: unknown) => (error instanceof DiscordAPIError ? `${error.status}/${error.code}` : String(error)),
  );
}
