import type { SetupCase } from "@talaria/testkit";

/** What a person types who sets up an account against the stage. */
export const setupCase: SetupCase = {
  questions: [["Token", "token"]],
  set: ["apiRoot"],
  secrets: ["token"],
  wrong: [],
};
