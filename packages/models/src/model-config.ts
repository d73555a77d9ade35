import type { Clock, Log, MediaRef } from "@talaria/protocol";

/** A secret, or a plain value where there is nothing to hide. */
export type SecretText = string | { reveal(): string };

/** How a server that speaks Chat Completions differs from the others. What is left out follows from the address. */
export interface ChatCompat {
  /** The name of the output limit. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Asks for usage at the end of the stream. */
  readonly usageInStream: boolean;
  /** Sends the system prompt with the role `developer`. */
  readonly developerRole: boolean;
  /** Sends `prompt_cache_key`; strict servers refuse what they do not know. */
  readonly promptCacheKey: boolean;
}

export interface OpenAiChatConfig {
  readonly provider: "openai-chat";
  /** Without it, OpenAI's own. */
  readonly baseUrl?: string | undefined;
  /** Local servers need none. */
  readonly apiKey?: SecretText | undefined;
  readonly model: string;
  readonly maxOutputTokens?: number | undefined;
  /** Whether it takes pictures. Default: true. */
  readonly images?: boolean | undefined;
  /** Longest silence before the first chunk. Default: 120,000. */
  readonly firstChunkMs?: number | undefined;
  /** Longest silence between two chunks. Default: 90,000. */
  readonly idleMs?: number | undefined;
  readonly headers?: Readonly<Record<string, SecretText>> | undefined;
  readonly compat?: Partial<ChatCompat> | undefined;
}

/** Answers offline, the same way each time. */
export interface DemoConfig {
  readonly provider: "demo";
  /** Pause between two words. Default: 15. */
  readonly wordMs?: number | undefined;
}

/** Providers that a configuration may name before this package speaks their dialect. */
export interface UnsupportedConfig {
  readonly provider: "openai-responses" | "anthropic" | "google" | "mistral" | "bedrock";
}

export type ModelConfig = OpenAiChatConfig | DemoConfig | UnsupportedConfig;

export interface ModelDeps {
  /** The bytes of a picture that a request names. Without it, no model is shown any. Throws `not_found` when they are gone. */
  readonly readMedia?: (ref: MediaRef, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly log: Log;
}

export function reveal(secret: SecretText): string {
  return typeof secret === "string" ? secret : secret.reveal();
}
