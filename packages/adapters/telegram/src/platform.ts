import { definePlatform } from "@talaria/adapter";
import { telegramConfigSchema } from "./config.ts";

export const platform = definePlatform({
  name: "telegram",
  configSchema: telegramConfigSchema,
  ids: {
    user: /^[1-9]\d*$/,
    group: /^-[1-9]\d*$/,
    example: "telegram:user:123456, telegram:group:-1001234567890",
  },
  identityKey: "token",
  setup: {
    steps: ["In Telegram, write /newbot to @BotFather and answer its two questions.", "Copy the token it shows."],
    questions: [{ key: "token", text: "Token", secret: true }],
    greet: "Open your bot in Telegram and write it anything.",
  },
  hint: "Your answer is shown in Telegram.",
  /** The ids of groups and channels are negative. */
  isDirect: (conversationId) => !conversationId.startsWith("-"),
  load: async () => (await import("./adapter.ts")).createTelegramAdapter,
});
