import { defineOwnPlatform } from "@talaria/adapter";
import { webConfigSchema } from "./config.ts";

export const platform = defineOwnPlatform({
  name: "web",
  configSchema: webConfigSchema,
  hint: "People read your answer in a web chat.",
  load: async () => (await import("./adapter.ts")).createWebAdapter,
});
