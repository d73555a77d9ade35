import { z } from "zod";
import { priceSchema } from "./price-schema.ts";
import { secretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

const megabyte = 1_048_576;

const endpoint = {
  baseUrl: httpUrlSchema.optional().describe("Base URL of an OpenAI-compatible API. Default: OpenAI's."),
  apiKey: secretSchema.optional().describe("API key of the provider."),
};

/** A model that draws. Each picture costs money, so a call is not repeated. */
export const imagesSchema = z.strictObject({
  ...endpoint,
  model: z.string().min(1).describe("The provider's name for the image model."),
  price: priceSchema.optional(),
  maxBytes: z
    .int()
    .min(1_024)
    .max(100 * megabyte)
    .default(20 * megabyte)
    .describe("Maximum size of a picture. `media.maxBytes` counts as well."),
  timeoutMs: z.int().min(100).max(230_000).default(180_000).describe("Timeout for one picture."),
});

/** A model that speaks. */
export const speechSchema = z.strictObject({
  ...endpoint,
  model: z.string().min(1).describe("The provider's name for the speech model."),
  voice: z
    .string()
    .min(1)
    .max(60)
    .default("alloy")
    .describe("The provider's name of a voice, used where nobody asks for another one."),
  maxBytes: z
    .int()
    .min(1_024)
    .max(100 * megabyte)
    .default(20 * megabyte)
    .describe("Maximum size of a recording. `media.maxBytes` counts as well."),
  timeoutMs: z.int().min(100).max(110_000).default(60_000).describe("Timeout for one recording."),
});
