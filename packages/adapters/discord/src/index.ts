export { createDiscordAdapter } from "./adapter.ts";
export { type DiscordConfig, discordConfigSchema } from "./config.ts";
