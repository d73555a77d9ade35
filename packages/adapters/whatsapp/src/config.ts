import { baseAddress, revealedSecret } from "@talaria/adapter-kit/settings";
import { z } from "zod";

/** Short or copied from an example: anybody could sign with it. */
const placeholder = /^(?:\*+|x+|changeme|change-me|secret|password|your[-_ ].*)$/i;

const strongText = (name: string, shortest: number) =>
  z
    .string()
    .min(shortest, `is too short: ${name} has at least ${shortest} characters`)
    .refine((value) => !placeholder.test(value), `is a placeholder: ${name} is needed`);

/** The official Cloud API: signed webhooks come in, calls of the Graph API go out. */
const cloudConfigSchema = z.strictObject({
  mode: z.literal("cloud").optional(),
  /** The number's id in Meta's app, not the number: digits. Events of other numbers are refused. */
  phoneNumberId: z
    .string()
    .regex(/^\d{5,32}$/, "is not an id: it has digits only, and is shown next to the number in Meta's app"),
  /** Of a system user, with `whatsapp_business_messaging`. */
  accessToken: revealedSecret(
    z.string().regex(/^[^\s]{20,2048}$/, "is not an access token: it has at least 20 characters and no spaces"),
  ),
  /** Signs what Meta posts to us: App settings, Basic, App secret. */
  appSecret: revealedSecret(strongText("the app secret", 16)),
  /** Chosen by the operator, and entered next to the callback address in Meta's app. */
  verifyToken: revealedSecret(strongText("the verify token", 8)),
  /** Base address of the Graph API, for a test or a relay. */
  apiRoot: baseAddress.default("https://graph.facebook.com"),
  apiVersion: z
    .string()
    .regex(/^v\d{1,3}\.\d{1,2}$/, 'is not a version: it has the form "v25.0"')
    .default("v25.0"),
});

/** A linked device of an ordinary account, over an unofficial client. Experimental. */
const webConfigSchema = z.strictObject({
  mode: z.literal("web"),
  /** Link by a code typed into the phone: its own number, digits with country code. Without it: by QR code. */
  pairingNumber: z
    .string()
    .regex(/^\d{7,15}$/, "is not a number: digits with the country code, no + and no spaces")
    .optional(),
  /** Version of WhatsApp Web to claim, `2.3000.1023223821`. Without it, the one the service runs now is asked for. */
  webVersion: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/, 'is not a version: it has the form "2.3000.1023223821"')
    .optional(),
});

/** The keys of an account beside those that every account has. `mode` is `cloud` when it is left out. */
export const whatsappConfigSchema = z.discriminatedUnion("mode", [cloudConfigSchema, webConfigSchema], {
  error: 'must be "cloud" or "web"',
});

export type CloudConfig = z.output<typeof cloudConfigSchema>;
export type WebConfig = z.output<typeof webConfigSchema>;
export type WhatsappConfig = z.output<typeof whatsappConfigSchema>;
