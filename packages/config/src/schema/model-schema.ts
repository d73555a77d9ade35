import { z } from "zod";
import { checkAccess, modelAccessShape } from "./model-access-schema.ts";
import { priceSchema } from "./price-schema.ts";
import { secretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

/** Every wire dialect a model can be reached by; `demo` answers offline. */
const modelProviders = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "google",
  "mistral",
  "bedrock",
  "vertex",
  "chatgpt",
  "demo",
] as const;

/** Providers that want a key, Bedrock where there is nothing else, and whose packages take no query. */
const withKeyAlone: ReadonlySet<string> = new Set(["google", "mistral", "bedrock"]);
const mostKeys = 20;
/** How much a model can be asked to think, from little on. */
export const efforts = ["low", "medium", "high", "max"] as const;

/** One entry of `models`. */
export const modelSchema = z
  .strictObject({
    provider: z.enum(modelProviders).describe("API dialect. `demo` answers offline."),
    baseUrl: httpUrlSchema.optional().describe("Base URL. Default: the provider's."),
    apiKey: z
      .union([secretSchema, z.array(secretSchema).min(1).max(mostKeys)])
      .optional()
      .describe(
        "API key of the provider, or a list: a key that is refused or exhausted rests, and the next one is used.",
      ),
    model: z.string().min(1).default("demo").describe("The provider's name for the model. Required except for `demo`."),
    fallbacks: z.array(z.string().min(1)).default([]).describe("Entries to try, in order, if this one fails."),
    effort: z
      .enum(efforts)
      .optional()
      .describe("How much the model thinks before it answers. Ignored for models without such a setting."),
    firstChunkMs: z
      .int()
      .min(100)
      .optional()
      .describe("Longest silence before an answer begins. Default: 120,000, or 300,000 for models that may think."),
    idleMs: z
      .int()
      .min(100)
      .optional()
      .describe("Longest silence within an answer. Default: 90,000, or 300,000 for models that may think."),
    cacheSpan: z
      .enum(["auto", "5m", "1h"])
      .default("auto")
      .describe(
        "How long the provider keeps what it has read, where it can be asked to (Claude). `auto`: an hour for conversations that are resumed after 5 to 60 minutes.",
      ),
    maxOutputTokens: z
      .int()
      .min(1)
      .optional()
      .describe("Maximum length of an answer, thoughts included. Default: the provider's; 16,384 for `anthropic`."),
    contextTokens: z.int().min(1_000).default(128_000).describe("Size of the model's context window."),
    price: priceSchema.optional(),
    images: z.boolean().default(true).describe("Whether the model accepts pictures. `demo` does not."),
    headers: z.record(z.string(), secretSchema).default({}).describe("Additional HTTP headers for every call."),
    query: z
      .record(z.string(), z.string())
      .default({})
      .describe("Additional query parameters for every call, such as `api-version`."),
    ...modelAccessShape,
  })
  .superRefine((entry, context) => {
    const { provider, model, apiKey, query } = entry;
    const issue = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    if (provider !== "demo" && model === "demo") issue("model", "is required: the provider's name of the model");
    checkAccess(entry, issue);
    if (!withKeyAlone.has(provider)) return;
    if (apiKey === undefined && provider !== "bedrock") issue("apiKey", `is required for \`${provider}\``);
    if (Object.keys(query).length > 0)
      issue("query", `does not work with \`${provider}\`: remove it, or use \`headers\``);
  });
