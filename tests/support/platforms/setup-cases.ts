import type { Platform } from "@talaria/protocol";
import { startDiscordStage } from "./discord-stage.ts";
import { startEmailStage } from "./email-stage.ts";
import { startMatrixStage } from "./matrix-stage.ts";
import type { PlatformStage } from "./platform-stage.ts";
import { startSlackStage } from "./slack-stage.ts";
import { startWhatsappStage } from "./whatsapp-stage.ts";

/** What a person types when `talaria setup` asks; the answers are the stage's own keys unless `typed` has others. */
export interface SetupCase {
  readonly platform: Platform;
  readonly start: () => Promise<PlatformStage>;
  /** The questions in their order, by how they begin, and the key that each one is about. */
  readonly questions: readonly (readonly [question: string, key: string])[];
  /** Keys that only an emulator needs. */
  readonly set: readonly string[];
  readonly secrets: readonly string[];
  readonly typed?: Readonly<Record<string, string>>;
  /** Wrong answers by key: what is typed, and the field and remedy that are told. */
  readonly wrong: readonly (readonly [key: string, typed: string, told: RegExp])[];
  /** Wrong answers that show only when somebody has written and is answered. */
  readonly wrongLater?: SetupCase["wrong"];
  /** Clocks of mail servers differ: what came in the minute before the first start is answered too. */
  readonly looksBack?: true;
}

export const setupCases: readonly SetupCase[] = [
  {
    platform: "discord",
    start: startDiscordStage,
    questions: [["Token: ", "token"]],
    set: ["apiRoot"],
    secrets: ["token"],
    wrong: [
      ["token", "not a token", /token: is not a bot token: copy it from the Bot page/],
      ["token", "MTAw.Wrong0.but-well-formed", /talaria: Discord refuses the bot token.* set it as `token`/],
    ],
  },
  {
    platform: "slack",
    start: startSlackStage,
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
  },
  {
    platform: "whatsapp",
    start: startWhatsappStage,
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
  },
  {
    platform: "matrix",
    start: startMatrixStage,
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
  },
  {
    platform: "email",
    looksBack: true,
    start: startEmailStage,
    questions: [
      ["Address", "address"],
      ["IMAP host", "imap.host"],
      ["IMAP port", "imap.port"],
      ["IMAP user", "imap.user"],
      ["IMAP password", "imap.password"],
      ["SMTP host", "smtp.host"],
      ["SMTP port", "smtp.port"],
      ["SMTP user", "smtp.user"],
      ["SMTP password", "smtp.password"],
      ["authserv-id", "trustedAuthservId"],
    ],
    set: ["imap.secure", "smtp.secure"],
    secrets: ["imap.password", "smtp.password"],
    wrong: [
      ["address", "Gw@MAIL.test", /address: has to be a plain address/],
      ["imap.port", "imaps", /imap\.port: expected/],
      ["imap.password", "wrong", /talaria: The mail server refuses user or password.*`imap\.password`/],
    ],
    wrongLater: [["smtp.password", "wrong", /talaria: a message came.*could not be sent.*smtp\.password/]],
  },
];
