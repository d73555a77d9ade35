import { isIP } from "node:net";
import { z } from "zod";
import { secretSchema } from "./secret-schema.ts";

const hostForm = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::\d{1,5})?$/;
/** A value must stand out in what comes back, and fit into a header. */
const valueForm = /^[\x21-\x7e]{8,8192}$/;
/** They frame a request, or say where it goes. */
const notHeaders =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|range|accept-encoding|cookie)$/;

const hostsSchema = z
  .union([z.string(), z.array(z.string()).min(1).max(20)])
  .superRefine((given, context) => {
    for (const host of [given].flat()) {
      const message = hostFault(host);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    }
  })
  .transform((given): readonly string[] => [given].flat());

function hostFault(host: string): string | undefined {
  const name = host.replace(/:\d+$/, "");
  if (host.includes("*")) return "must be one host: below a name, others may have hosts of their own";
  if (host.includes("/")) return "must be a host without `https://` and without a path";
  if (isIP(name) !== 0 || /^[\d.]+$/.test(name) || host.startsWith("["))
    return "must be a name: an address has no certificate that proves whose it is";
  if (host.length > 253 || !hostForm.test(host))
    return "must be a host such as `api.github.com` or `git.example.org:8443`";
  return undefined;
}

/** A secret that is used without being seen. */
const commandSecretSchema = z.strictObject({
  value: secretSchema
    .refine((secret) => valueForm.test(secret.reveal()), "must be 8 to 8192 visible ASCII characters without blanks")
    .describe("The value, best as `{ file: path }`."),
  host: hostsSchema.describe(
    "The exact host that it is for, or a list of such. Reached by https. Commands reach one that is not public only where `sandbox.network` allows it.",
  ),
  header: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/, "must be the name of a header")
    .refine((name) => !notHeaders.test(name.toLowerCase()), "is a header that no secret can go into")
    .default("Authorization")
    .describe(
      "The header that it goes into. `Authorization` also takes it as the name or the password of a Basic login.",
    ),
  template: z
    .string()
    .regex(/^[\x20-\x7e]{0,200}$/, "must be visible ASCII characters and blanks, at most 200")
    .refine((text) => text.split("{value}").length === 2, "must have `{value}` in it, once")
    .default("Bearer {value}")
    .describe("What the header then is."),
  role: z
    .enum(["owner", "member"])
    .default("owner")
    .describe("Who may use it: everybody whose words are in a turn has to be at least that."),
});

export const commandSecretsSchema = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, "must be 1 to 32 small letters, digits and `_`, a letter first"),
    commandSecretSchema,
  )
  .refine((secrets) => Object.keys(secrets).length <= 50, "may have at most 50 secrets");
