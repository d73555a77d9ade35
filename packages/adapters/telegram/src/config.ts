import { createHash } from "node:crypto";
import { baseAddress, pace, revealedSecret } from "@talaria/adapter-kit/settings";
import { z } from "zod";

const tokenText = z.string().regex(/^[^\s/?#]+$/, "is not a bot token: it has the form 123456:ABC-DEF and no spaces");

export const telegramConfigSchema = z
  .strictObject({
    /** What @BotFather gave out. */
    token: revealedSecret(tokenText),
    /** Base address of the Bot API, for a self-hosted server or a test. */
    apiRoot: baseAddress.default("https://api.telegram.org"),
    mode: z.enum(["polling", "webhook"]).default("polling"),
    /** Public base address of this gateway. Needed in webhook mode; `/platforms/<account>` is added. */
    webhookUrl: baseAddress.optional(),
    /** What Telegram proves itself with. Follows from the token when absent. */
    secretToken: revealedSecret(
      z.string().regex(/^[\w-]{16,256}$/, "needs 16 to 256 letters, digits, - or _"),
    ).optional(),
    /** Send tables, headings and formulas as rich messages where the server knows them. */
    richMessages: z.boolean().default(true),
    /** Answer people who call the bot into chats that it is no member of. Has to be allowed at @BotFather too. */
    guestMode: z.boolean().default(false),
    /** Rate limit per chat; sends and edits count. */
    paces: z.strictObject({ direct: pace(3, 1_000), group: pace(4, 3_000) }).prefault({}),
    /** Shortest pause between two updates of a growing reply. */
    updateIntervalsMs: z
      .strictObject({
        draft: z.int().min(0).default(500),
        direct: z.int().min(0).default(1_100),
        group: z.int().min(0).default(3_100),
      })
      .prefault({}),
  })
  .refine((config) => config.mode !== "webhook" || config.webhookUrl !== undefined, {
    path: ["webhookUrl"],
    message: "is needed in webhook mode: the public https address of this gateway",
  });

export type TelegramConfig = z.output<typeof telegramConfigSchema>;

/** The secret of the webhook: as configured, else derived from the token, so that every gateway arrives at the same. */
export function webhookSecretOf(config: TelegramConfig): string {
  return config.secretToken ?? createHash("sha256").update(`telegram-webhook:${config.token}`).digest("base64url");
}
