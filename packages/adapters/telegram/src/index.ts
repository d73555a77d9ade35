export { createTelegramAdapter } from "./adapter.ts";
export { type TelegramConfig, telegramConfigSchema } from "./config.ts";
