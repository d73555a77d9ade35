import { z } from "zod";
import type { KnownPrice, ModelFacts } from "./known/known-models.ts";

const mostModels = 1_000;
const longestName = 200;
/** A name is shown on a terminal, and may not steer it. */
const unprintable = /\p{C}/u;
const perMillion = 1_000_000;

/** A model that a server offers, with what it says of it. */
export interface OfferedModel extends ModelFacts {
  readonly name: string;
}

const tokens = z.number().int().min(1_000).max(100_000_000).optional().catch(undefined);
const dollars = z.coerce.number().min(0).max(1).optional().catch(undefined);

/**
 * What servers say of one of their models: OpenRouter `context_length` and `pricing` (openrouter.ai/docs/models), Groq `context_window`
 * (console.groq.com/docs/models), Mistral `max_context_length` and `capabilities` (docs.mistral.ai/api), Anthropic `max_input_tokens`
 * (platform.claude.com/docs/en/api/models-list), Google `inputTokenLimit` and `supportedGenerationMethods` (ai.google.dev/api/models),
 * vLLM `max_model_len`, LM Studio's own list `loaded_context_length` (lmstudio.ai/docs/developer/rest/endpoints).
 */
const listedSchema = z.object({
  id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  type: z.unknown().optional(),
  supportedGenerationMethods: z.array(z.unknown()).optional().catch(undefined),
  supported_parameters: z.array(z.unknown()).optional().catch(undefined),
  capabilities: z.object({ completion_chat: z.unknown().optional() }).optional().catch(undefined),
  loaded_context_length: tokens,
  context_length: tokens,
  context_window: tokens,
  max_context_length: tokens,
  max_input_tokens: tokens,
  inputTokenLimit: tokens,
  max_model_len: tokens,
  pricing: z
    .object({ prompt: dollars, completion: dollars, input_cache_read: dollars, input_cache_write: dollars })
    .optional()
    .catch(undefined),
});

type Listed = z.infer<typeof listedSchema>;

/** The models in a server's list, at most 1,000, in its order. Undefined when it is no such list. Models that can't chat are left out. */
export function modelsIn(body: unknown): readonly OfferedModel[] | undefined {
  if (body === null || typeof body !== "object") return undefined;
  const { data, models } = body as { readonly data?: unknown; readonly models?: unknown };
  const list = [data, models].find((each) => Array.isArray(each)) as readonly unknown[] | undefined;
  return list
    ?.slice(0, mostModels * 2)
    .map((each) => listedSchema.safeParse(each).data)
    .filter((each) => each !== undefined && canChat(each))
    .map((each) => offered(each as Listed))
    .filter(({ name }) => name !== "" && name.length <= longestName && !unprintable.test(name))
    .slice(0, mostModels);
}

function offered({ id, name = "", pricing, ...limits }: Listed): OfferedModel {
  const contextTokens =
    limits.loaded_context_length ??
    limits.context_length ??
    limits.context_window ??
    limits.max_context_length ??
    limits.max_input_tokens ??
    limits.inputTokenLimit ??
    limits.max_model_len;
  const price = priceOf(pricing);
  return {
    name: (id ?? name).replace(/^models\//, ""),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(price && { price }),
  };
}

/** OpenRouter's are for one token. */
function priceOf(pricing: Listed["pricing"]): KnownPrice | undefined {
  if (pricing?.prompt === undefined || pricing.completion === undefined) return undefined;
  const { input_cache_read: read, input_cache_write: write } = pricing;
  return {
    input: ofAMillion(pricing.prompt),
    output: ofAMillion(pricing.completion),
    ...(read !== undefined && { cachedInput: ofAMillion(read) }),
    ...(write !== undefined && { cacheWrite: ofAMillion(write) }),
  };
}

function ofAMillion(price: number): number {
  return Math.round(price * perMillion * perMillion) / perMillion;
}

function canChat({ type, supportedGenerationMethods: methods, capabilities }: Listed): boolean {
  if (type === "embeddings") return false;
  if (methods !== undefined) return methods.includes("generateContent");
  return capabilities?.completion_chat !== false;
}
