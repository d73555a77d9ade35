import type { SetupCase } from "@talaria/testkit";

/** What a person types who sets up an account against the stage. */
export const setupCase: SetupCase = {
  questions: [
    ["Phone number id", "phoneNumberId"],
    ["Access token", "accessToken"],
    ["App secret", "appSecret"],
    ["Verify token", "verifyToken"],
  ],
  set: ["apiRoot"],
  secrets: ["accessToken", "appSecret", "verifyToken"],
  wrong: [
    ["phoneNumberId", "+15550783881", /phoneNumberId: is not an id: it has digits only/],
    ["accessToken", "EAAwrong-but-well-formed", /talaria: .*put it into accessToken/],
  ],
};
