import { definePlatform } from "@talaria/adapter";
import { loopbackConfigSchema } from "./config.ts";

/** What every process may know of the platform. Nothing here or in `config.ts` imports the adapter or a library of the platform. */
export const platform = definePlatform({
  name: "loopback",
  configSchema: loopbackConfigSchema,
  /** Forms that a person cannot choose or take over: never names. */
  ids: { user: /^\d+$/, group: /^\d+$/, example: "loopback:user:123456" },
  identityKey: "token",
  setup: {
    steps: ["Where the token comes from, one step per line."],
    questions: [{ key: "token", text: "Token", secret: true }],
    greet: "Send the bot a direct message.",
  },
  hint: "Your answer is shown in Loopback. Write Markdown. Keep answers short.",
  /** Whether a conversation of this id is between two; false where ids do not tell. */
  isDirect: () => false,
  load: async () => (await import("./adapter.ts")).createLoopbackAdapter,
});
