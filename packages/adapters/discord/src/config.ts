import { baseAddress, pace, revealedSecret } from "@talaria/adapter-kit/settings";
import { z } from "zod";

const tokenText = z.string().regex(/^[\w.-]+$/, "is not a bot token: copy it from the Bot page of the application");

export const discordConfigSchema = z.strictObject({
  /** The bot's token from the Discord Developer Portal. */
  token: revealedSecret(tokenText),
  /** Base address of the REST API without a version, for a proxy or a test. */
  apiRoot: baseAddress.default("https://discord.com/api"),
  /** Asks for the Message Content intent. Without it the bot reads direct messages and what mentions it. */
  messageContent: z.boolean().default(true),
  /** A message in a channel that mentions us gets a thread, and the answer goes there. */
  threadPerMention: z.boolean().default(false),
  /** Rate limit per channel; sends and edits count. */
  pace: pace(5, 1_000),
  /** Shortest pause between two updates of a growing reply. */
  updateIntervalMs: z.int().min(0).default(1_200),
});

export type DiscordConfig = z.output<typeof discordConfigSchema>;
