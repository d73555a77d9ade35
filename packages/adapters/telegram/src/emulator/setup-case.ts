import type { SetupCase } from "@talaria/testkit";

/** What a person types who sets up an account against the stage. */
export const setupCase: SetupCase = {
  questions: [["Token: ", "token"]],
  set: ["apiRoot"],
  secrets: ["token"],
  wrong: [
    ["token", "not a token", /token: is not a bot token: it has the form 123456:ABC-DEF/],
    ["token", "123456:refused-refused-refused-refused-1", /talaria: .*`token`/],
  ],
};
