import { definePlatform } from "@talaria/adapter";
import { matrixConfigSchema } from "./config.ts";

export const platform = definePlatform({
  name: "matrix",
  configSchema: matrixConfigSchema,
  ids: {
    user: /^@[^\s:]+:\S+$/,
    group: /^!\S+$/,
    example: "matrix:user:@ada:example.org, matrix:group:!abc:example.org",
  },
  identityKey: "accessToken",
  setup: {
    steps: ["Make an account for the agent on your homeserver, with any client.", "Have its password ready."],
    questions: [
      { key: "homeserver", text: "Homeserver (https://...)" },
      { key: "user", text: "User (@name:server)" },
      { key: "password", text: "Password", secret: true },
      { key: "recoveryKey", text: "Recovery key (Enter: none)", secret: true, preset: "" },
      { key: "invites.allow", text: "Who may invite it: you (@name:server)", form: "list" },
    ],
    greet: "Invite the account to a direct chat and write anything.",
  },
  hint: "Your answer is shown in a Matrix room.",
  /** Direct chats are rooms like others. */
  isDirect: () => false,
  load: async () => (await import("./adapter.ts")).createMatrixAdapter,
});
