export { createEmailAdapter } from "./adapter.ts";
export { type EmailConfig, emailConfigSchema } from "./config.ts";
