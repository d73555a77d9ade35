import type { SetupCase } from "@talaria/testkit";

/** What a person types who sets up an account against the stage. */
export const setupCase: SetupCase = {
  questions: [
    ["Bot token", "botToken"],
    ["App token", "appToken"],
  ],
  set: ["apiRoot"],
  secrets: ["botToken", "appToken"],
  wrong: [
    ["botToken", "xapp-1-mixed-up", /botToken: is not a bot token: it begins with xoxb-/],
    ["botToken", "xoxb-1-wrong", /talaria: Slack refuses a token.*`botToken`/],
    ["appToken", "xapp-1-wrong", /talaria: Slack refuses a token.*`appToken`/],
  ],
};
