import { defineOwnPlatform } from "@talaria/adapter";
import { webConfigSchema } from "./config.ts";

export const platform = defineOwnPlatform({
  name: "web",
  configSchema: webConfigSchema,
  hint: "Your answer is shown in a web chat that renders Markdown.",
  load: async () => (await import("./adapter.ts")).createWebAdapter,
});
