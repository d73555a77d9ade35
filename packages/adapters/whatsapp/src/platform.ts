import { randomBytes } from "node:crypto";
import { definePlatform } from "@talaria/adapter";
import { whatsappConfigSchema } from "./config.ts";

export const platform = definePlatform({
  name: "whatsapp",
  configSchema: whatsappConfigSchema,
  ids: {
    user: /^(\d+(@(s\.whatsapp\.net|lid))?|[A-Z]{2}\.\w+)$/,
    group: /^[\d-]+@g\.us$/,
    example: "whatsapp:user:491701234567, whatsapp:group:120363041234567890@g.us",
  },
  identityKey: "phoneNumberId",
  setup: {
    steps: [
      "Open https://developers.facebook.com/apps, make an app of type Business, add WhatsApp.",
      "API Setup shows the phone number id; make a permanent access token with a system user.",
      "App settings, Basic shows the app secret. packages/adapters/whatsapp/GUIDE.md has every step.",
    ],
    questions: [
      { key: "phoneNumberId", text: "Phone number id" },
      { key: "accessToken", text: "Access token", secret: true },
      { key: "appSecret", text: "App secret", secret: true },
      {
        key: "verifyToken",
        text: "Verify token (Enter: a new one)",
        secret: true,
        preset: () => randomBytes(18).toString("base64url"),
      },
    ],
    greet:
      "In the app, WhatsApp, Configuration: callback URL https://<your gateway>/platforms/<account>, and the verify token; Verify and save, subscribe to messages. Write to the number from your phone.",
  },
  hint: "Your answer is shown in WhatsApp, on a phone.",
  isDirect: (conversationId) => !conversationId.endsWith("@g.us"),
  load: async () => (await import("./create-adapter.ts")).createWhatsappAdapter,
});
