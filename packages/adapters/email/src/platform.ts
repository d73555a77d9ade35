import { definePlatform } from "@talaria/adapter";
import { emailConfigSchema } from "./config.ts";

export const platform = definePlatform({
  name: "email",
  configSchema: emailConfigSchema,
  ids: { user: /^[^\s@]+@[^\s@]+$/, group: /^[^\s@]+@[^\s@]+$/, example: "email:user:ada@example.org" },
  identityKey: "address",
  setup: {
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
  hint: "Your answer is sent as a mail: begin with what matters.",
  isDirect: () => true,
  load: async () => (await import("./adapter.ts")).createEmailAdapter,
});
