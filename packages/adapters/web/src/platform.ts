import { defineOwnPlatform } from "@talaria/adapter";
import { webConfigSchema } from "./config.ts";

export const platform = defineOwnPlatform({
  name: "web",
  configSchema: webConfigSchema,
  hint: "Your answer is shown in a web chat.",
  load: async () => (await import("./adapter.ts")).createWebAdapter,
});
