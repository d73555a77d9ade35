import { defineOwnPlatform } from "@talaria/adapter";
import { webhookConfigSchema } from "./config.ts";

export const platform = defineOwnPlatform({
  name: "webhook",
  configSchema: webhookConfigSchema,
  hint: "You answer an automatic message from another system: begin with what matters.",
  load: async () => (await import("./adapter.ts")).createWebhookAdapter,
});
