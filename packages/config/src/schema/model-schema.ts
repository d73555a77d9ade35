import { z } from "zod";
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
  "demo",
] as const;

const builtIn: ReadonlySet<string> = new Set(["openai-chat", "demo"]);
const notBuiltIn = "is not built in yet: most providers also answer `openai-chat` at a `baseUrl` of theirs";

/** One entry of `models`. */
export const modelSchema = z
  .strictObject({
    provider: z.enum(modelProviders).describe("API dialect. `demo` answers offline."),
    baseUrl: httpUrlSchema.optional().describe("Base URL. Default: the provider's."),
    apiKey: secretSchema.optional().describe("API key of the provider."),
    model: z.string().min(1).default("demo").describe("The provider's name for the model. Required except for `demo`."),
    fallbacks: z.array(z.string().min(1)).default([]).describe("Entries to try, in order, if this one fails."),
    firstChunkMs: z.int().min(100).default(120_000).describe("Timeout for the first part of an answer."),
    idleMs: z.int().min(100).default(90_000).describe("Timeout between two parts of an answer."),
    maxOutputTokens: z.int().min(1).optional().describe("Maximum length of an answer. Default: the provider's."),
    contextTokens: z.int().min(1_000).default(128_000).describe("Size of the model's context window."),
    images: z.boolean().default(true).describe("Whether the model accepts pictures. `demo` does not."),
    headers: z.record(z.string(), secretSchema).default({}).describe("Additional HTTP headers for every call."),
  })
  .superRefine((entry, context) => {
    if (!builtIn.has(entry.provider)) context.addIssue({ code: "custom", path: ["provider"], message: notBuiltIn });
    if (entry.provider !== "demo" && entry.model === "demo")
      context.addIssue({ code: "custom", path: ["model"], message: "is required: the provider's name of the model" });
  });
