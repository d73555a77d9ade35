import { z } from "zod";
import { Secret } from "../secret.ts";

const minimumBytes = 16;

/** A text that must not be printed. In the file: a string, or `{ file: path }` for a file only its owner may read. */
export const secretSchema = z
  .string()
  .min(1)
  .transform((value) => new Secret(value))
  .meta({ secret: true });

/** A secret that guards a door: at least 16 bytes, and not a placeholder someone forgot to replace. */
export const strongSecretSchema = z
  .string()
  .superRefine((value, context) => {
    const weakness = weaknessOf(value);
    if (weakness !== undefined) context.addIssue({ code: "custom", message: weakness });
  })
  .transform((value) => new Secret(value))
  .meta({ secret: true });

const placeholderWords =
  /^(?:change|changeme|me|secret|test|testing|password|passwd|placeholder|example|token|your|my|the|here|this|insert|replace|with|webhook|hook|key|api|todo|dummy|sample|default|x{3,})+$/;

/** Why a secret must be refused, without quoting it. */
function weaknessOf(value: string): string | undefined {
  if (byteLength(value) < minimumBytes) return `too short: a secret needs at least ${minimumBytes} bytes`;
  const letters = value.toLowerCase().replace(/[^a-z]/g, "");
  const isPlaceholder = letters.length > 0 && placeholderWords.test(letters);
  if (isPlaceholder || value.includes("12345678") || new Set(value).size < 5)
    return "this is a placeholder: put a random value here";
  return undefined;
}

/** Standard Webhooks secrets are base64 behind `whsec_`; what counts is the key inside. */
function byteLength(value: string): number {
  const prefix = "whsec_";
  if (value.startsWith(prefix)) return Buffer.from(value.slice(prefix.length), "base64").length;
  return Buffer.byteLength(value);
}
