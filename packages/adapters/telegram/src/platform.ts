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
    steps: [
      "In Telegram, write /newbot to @BotFather and answer its two questions.",
      "Copy the token it shows. (To be called into any chat of yours: guestMode in the guide, and guest mode at @BotFather.)",
    ],
    questions: [{ key: "token", text: "Token", secret: true }],
    greet: "Open your bot in Telegram and write it anything.",
  },
  remarks: ({ guestMode }) =>
    guestMode
      ? [
          "guestMode is on: people whom access.allow, owners or pairing know may call this bot into any chat of theirs, with access.groups open " +
            "everybody may; its answers are seen by all who are there. It also has to be switched on at @BotFather.",
        ]
      : [],
  hint: "Your answer is shown in Telegram.",
  /** The ids of groups and channels are negative. */
  isDirect: (conversationId) => !conversationId.startsWith("-"),
  load: async () => (await import("./adapter.ts")).createTelegramAdapter,
});
