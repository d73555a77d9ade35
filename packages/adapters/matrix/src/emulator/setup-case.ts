import type { SetupCase } from "@talaria/testkit";

/** What a person types who sets up an account against the stage. */
export const setupCase: SetupCase = {
  questions: [
    ["Homeserver", "homeserver"],
    ["User", "user"],
    ["Password", "password"],
    ["Recovery key", "recoveryKey"],
    ["Who may invite it", "invites.allow"],
  ],
  set: ["encryption"],
  secrets: ["password"],
  typed: {
    user: "@talaria:stub.test",
    password: "stub-password",
    recoveryKey: "",
    "invites.allow": "@ada:stub.test @bob:stub.test",
  },
  wrong: [
    ["user", "talaria", /user: is not a user id such as @ada:example.org/],
    ["password", "wrong", /talaria: The homeserver refuses the login.*`password`/],
  ],
};
