import type { SetupCase } from "@talaria/testkit";

/** What a person types who sets up an account against the stage. */
export const setupCase: SetupCase = {
  questions: [["Token: ", "token"]],
  set: ["apiRoot"],
  secrets: ["token"],
  wrong: [
    ["token", "not a token", /token: is not a bot token: copy it from the Bot page/],
    ["token", "MTAw.Wrong0.but-well-formed", /talaria: Discord refuses the bot token.* set it as `token`/],
  ],
};
