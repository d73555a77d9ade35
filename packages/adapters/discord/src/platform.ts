import { definePlatform } from "@talaria/adapter";
import { discordConfigSchema } from "./config.ts";

export const platform = definePlatform({
  name: "discord",
  configSchema: discordConfigSchema,
  ids: { user: /^\d+$/, group: /^\d+$/, example: "discord:user:80351110224678912" },
  identityKey: "token",
  setup: {
    steps: [
      "Open https://discord.com/developers/applications and choose New Application.",
      "On the page Bot: Reset Token, copy it; switch on Message Content Intent.",
      "On the page OAuth2: scopes bot and applications.commands; open the link it makes and choose your server.",
    ],
    questions: [{ key: "token", text: "Token", secret: true }],
    greet: "Open your bot in Discord and send it a direct message.",
  },
  hint: "Your answer is shown in Discord.",
  /** Channels of every kind have ids of one form. */
  isDirect: () => false,
  load: async () => (await import("./adapter.ts")).createDiscordAdapter,
});
