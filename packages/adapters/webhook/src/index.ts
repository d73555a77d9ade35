export { createWebhookAdapter, type WebhookDeps } from "./adapter.ts";
export { type WebhookConfig, webhookConfigSchema } from "./config.ts";
