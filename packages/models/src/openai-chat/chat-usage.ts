import type { ModelUsage } from "@talaria/agent";
import { countOf } from "../dialect/wire-text.ts";
import type { ChatChunk, ChatUsage } from "./chat-chunk.ts";

/** The usage in a chunk, wherever servers put it: beside the choices, in the choice (Moonshot), in `x_groq` (Groq). */
export function usageIn({ usage, choices, x_groq }: ChatChunk): ChatUsage | undefined {
  return usage ?? choices?.find((choice) => choice?.usage)?.usage ?? x_groq?.usage ?? undefined;
}

/**
 * The names of compatible servers for what OpenAI calls `prompt_tokens_details` and `completion_tokens_details`:
 *
 * - from the cache: `prompt_cache_hit_tokens` (DeepSeek), `cached_tokens` (Moonshot), `cache_read_input_tokens` (LiteLLM);
 * - into it: `cache_write_tokens` (OpenRouter, OpenAI since gpt-5.6), `cache_creation_input_tokens` (DashScope, LiteLLM);
 * - xAI and Google count thoughts beside `completion_tokens`, and in `total_tokens` only.
 */
export function toChatUsage(usage: ChatUsage): ModelUsage {
  const input = usage.prompt_tokens_details ?? usage.input_tokens_details;
  const output = usage.completion_tokens_details ?? usage.output_tokens_details;
  const inputTokens = first(usage.prompt_tokens, usage.input_tokens);
  const completion = first(usage.completion_tokens, usage.output_tokens);
  const cacheWriteTokens = first(
    input?.cache_write_tokens,
    input?.cache_creation_input_tokens,
    usage.cache_creation_input_tokens,
  );
  const beside = Math.max(0, countOf(usage.total_tokens) - inputTokens - completion);
  return {
    inputTokens,
    cachedTokens: first(
      input?.cached_tokens,
      usage.prompt_cache_hit_tokens,
      usage.cached_tokens,
      usage.cache_read_input_tokens,
    ),
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
    outputTokens: completion + beside,
    reasoningTokens: first(output?.reasoning_tokens, usage.reasoning_tokens, beside),
  };
}

function first(...counts: readonly unknown[]): number {
  return counts.map(countOf).find((count) => count > 0) ?? 0;
}
