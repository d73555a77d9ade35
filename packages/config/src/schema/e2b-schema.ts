import { z } from "zod";
import { secretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

/** Sandboxes of E2B, a virtual machine for each conversation. */
export const e2bSchema = z.strictObject({
  apiKey: secretSchema.describe("API key of E2B."),
  template: z.string().min(1).max(200).default("base").describe("Template that sandboxes are made of."),
  label: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, "must be 1 to 64 letters, digits, `.`, `_` or `-`")
    .default("talaria")
    .describe("Tells this installation's sandboxes from those of another one with the same key: give each its own."),
  apiUrl: httpUrlSchema.optional().describe("Address of the API of an own cluster. Default: E2B's."),
  sandboxUrl: httpUrlSchema.optional().describe("Address of the sandboxes of an own cluster. Default: E2B's."),
});
