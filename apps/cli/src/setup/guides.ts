import { randomBytes } from "node:crypto";
import type { Platform } from "@talaria/protocol";

/** One thing that only the operator knows. */
export interface Question {
  /** The key of the account's entry; dots lead into mappings. */
  readonly key: string;
  readonly text: string;
  /** Not shown while it is typed, and kept in a file of its own. */
  readonly secret?: true;
  /** Taken when nothing is typed; a missing one makes the question mandatory, an empty one leaves the key out. */
  readonly preset?: string | (() => string);
  /** How the answer stands in the file; a text unless told otherwise. A list is typed with spaces or commas. */
  readonly form?: "number" | "list";
}

export interface Guide {
  /** Where the answers are found, one step per line. */
  readonly steps: readonly string[];
  readonly questions: readonly Question[];
  /** What a person does to prove the way there and back. `<account>` stands for the account's name. */
  readonly greet: string;
}

const madeUp = () => randomBytes(18).toString("base64url");

/** What `talaria setup` asks, per platform and way of connecting. The whole story is in the GUIDE.md of each adapter. */
export const guides: Readonly<Record<string, Guide>> = {
  telegram: {
    steps: ["In Telegram, write /newbot to @BotFather and answer its two questions.", "Copy the token it shows."],
    questions: [{ key: "token", text: "Token", secret: true }],
    greet: "Open your bot in Telegram and write it anything.",
  },
  discord: {
    steps: [
      "Open https://discord.com/developers/applications and choose New Application.",
      "On the page Bot: Reset Token, copy it; switch on Message Content Intent.",
      "On the page OAuth2: scopes bot and applications.commands; open the link it makes and choose your server.",
    ],
    questions: [{ key: "token", text: "Token", secret: true }],
    greet: "Open your bot in Discord and send it a direct message.",
  },
  slack: {
    steps: [
      "Open https://api.slack.com/apps, Create New App, From a manifest: packages/adapters/slack/GUIDE.md has one to paste.",
      "Install it to your workspace and copy the Bot User OAuth Token (xoxb-...).",
      "Basic Information, App-Level Tokens: make one with the scope connections:write (xapp-...).",
    ],
    questions: [
      { key: "botToken", text: "Bot token (xoxb-...)", secret: true },
      { key: "appToken", text: "App token (xapp-...)", secret: true },
    ],
    greet: "Open your app in Slack and send it a direct message.",
  },
  whatsapp: {
    steps: [
      "Open https://developers.facebook.com/apps, make an app of type Business, add WhatsApp.",
      "API Setup shows the phone number id; make a permanent access token with a system user.",
      "App settings, Basic shows the app secret. packages/adapters/whatsapp/GUIDE.md has every step.",
    ],
    questions: [
      { key: "phoneNumberId", text: "Phone number id" },
      { key: "accessToken", text: "Access token", secret: true },
      { key: "appSecret", text: "App secret", secret: true },
      { key: "verifyToken", text: "Verify token (Enter: a new one)", secret: true, preset: madeUp },
    ],
    greet:
      "In the app, WhatsApp, Configuration: callback URL https://<your gateway>/platforms/<account>, and the verify token; Verify and save, subscribe to messages. Write to the number from your phone.",
  },
  matrix: {
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
  email: {
    steps: [
      "Make a mailbox for the agent, with an app password if the provider has them.",
      "packages/adapters/email/GUIDE.md says how to find the authserv-id: without it no sender counts as proven.",
    ],
    questions: [
      { key: "address", text: "Address" },
      { key: "imap.host", text: "IMAP host" },
      { key: "imap.port", text: "IMAP port", form: "number", preset: "993" },
      { key: "imap.user", text: "IMAP user" },
      { key: "imap.password", text: "IMAP password", secret: true },
      { key: "smtp.host", text: "SMTP host" },
      { key: "smtp.port", text: "SMTP port", form: "number", preset: "465" },
      { key: "smtp.user", text: "SMTP user" },
      { key: "smtp.password", text: "SMTP password", secret: true },
      { key: "trustedAuthservId", text: "authserv-id of your mail server (Enter: none)", preset: "" },
    ],
    greet: "Send a mail to the address.",
  },
} satisfies Partial<Record<Platform, Guide>>;
