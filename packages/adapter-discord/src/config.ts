import { z } from "zod";

/** A secret that shows itself only when asked by name. */
interface Revealing {
  reveal(): string;
}

const secret = z
  .custom<string | Revealing>((value) => typeof value === "string" || isRevealing(value), "has to be text")
  .transform((value) => (typeof value === "string" ? value : value.reveal()));

function isRevealing(value: unknown): value is Revealing {
  return typeof value === "object" && value !== null && "reveal" in value && typeof value.reveal === "function";
}

const tokenText = z.string().regex(/^[\w.-]+$/, "is not a bot token: copy it from the Bot page of the application");

export const discordConfigSchema = z.strictObject({
  /** The bot's token from the Discord Developer Portal. */
  token: secret.pipe(tokenText),
  /** Base address of the REST API without a version, for a proxy or a test. */
  apiRoot: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ""))
    .default("https://discord.com/api"),
  /** Asks for the Message Content intent. Without it the bot reads direct messages and what mentions it. */
  messageContent: z.boolean().default(true),
  /** What a channel bears; sends and edits count. */
  pace: z.strictObject({ burst: z.int().min(1).default(5), refillMs: z.int().min(0).default(1_000) }).prefault({}),
  /** Shortest pause between two updates of a growing reply. */
  updateIntervalMs: z.int().min(0).default(1_200),
});

export type DiscordConfig = z.output<typeof discordConfigSchema>;
