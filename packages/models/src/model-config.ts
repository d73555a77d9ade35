import type { Clock, Log, MediaRef } from "@talaria/protocol";
import type { ChatGptSettings } from "./chatgpt/chatgpt-config.ts";
import type { CacheSpan } from "./dialect/cache-span.ts";
import type { ModelLogins } from "./logins/model-logins.ts";
import type { SharedRests } from "./shared-rests.ts";
import type { VertexSettings } from "./vertex/vertex-config.ts";

/** A secret, or a plain value where there is nothing to hide. */
export type SecretText = string | { reveal(): string };

/** How long a model may think before it answers. */
export type Effort = "low" | "medium" | "high" | "max";

/** What every model behind a server has in common. */
export interface RemoteConfig {
  /** Without it, the provider's own. */
  readonly baseUrl?: string | undefined;
  /** Local servers need none. Several take turns: one that is refused or exhausted rests. */
  readonly apiKey?: SecretText | readonly SecretText[] | undefined;
  readonly model: string;
  readonly maxOutputTokens?: number | undefined;
  /** Left out for models that have no such setting. */
  readonly effort?: Effort | undefined;
  /** Whether it takes pictures. Default: true. */
  readonly images?: boolean | undefined;
  /** How long the provider is asked to keep what it has read, where it can be asked. Default: by the session's pauses. */
  readonly cacheSpan?: CacheSpan | "auto" | undefined;
  /** Longest silence before the first chunk; any byte ends it. Default: 120,000, or 300,000 where the model may think. */
  readonly firstChunkMs?: number | undefined;
  /** Longest silence after it. Default: 90,000, or 300,000 where the model may think. */
  readonly idleMs?: number | undefined;
  readonly headers?: Readonly<Record<string, SecretText>> | undefined;
  /** Added to the address of every call. Not with `google`, `mistral` and `bedrock`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** How a server that speaks Chat Completions differs from the others. What is left out follows from the address. */
export interface ChatCompat {
  /** The name of the output limit. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Asks for usage at the end of the stream. */
  readonly usageInStream: boolean;
  /** Sends the system prompt with the role `developer`. */
  readonly developerRole: boolean;
  /** The field that leads a session's requests to one cache; strict servers refuse what they do not know. */
  readonly cacheKey: "prompt_cache_key" | "session_id" | "none";
}

export interface OpenAiChatConfig extends RemoteConfig {
  readonly provider: "openai-chat";
  readonly compat?: Partial<ChatCompat> | undefined;
}

export interface OpenAiResponsesConfig extends RemoteConfig {
  readonly provider: "openai-responses";
}

export interface AnthropicConfig extends RemoteConfig {
  readonly provider: "anthropic";
}

/** Spoken through the packages of the AI SDK. */
export interface AiSdkConfig extends RemoteConfig {
  readonly provider: "google" | "mistral" | "bedrock";
  /** Bedrock's other credentials, instead of `apiKey`: each request is signed with them. */
  readonly aws?: AwsCredentials | undefined;
}

/** Of an AWS user, or of a role for a while. */
export interface AwsCredentials {
  readonly region: string;
  readonly accessKeyId: SecretText;
  readonly secretAccessKey: SecretText;
  readonly sessionToken?: SecretText | undefined;
}

/** Asked with somebody's ChatGPT plan, over OpenAI's public Responses API. */
export interface ChatGptConfig extends ChatGptSettings, Omit<RemoteConfig, "apiKey" | "maxOutputTokens" | "query"> {
  readonly provider: "chatgpt";
}

/** Gemini and Claude on Vertex AI. */
export interface VertexConfig extends Omit<RemoteConfig, "apiKey" | "query"> {
  readonly provider: "vertex";
  readonly vertex: VertexSettings;
}

/** Whose dialects there are; the other providers' models are asked in one of these. */
export type DialectProvider = (OpenAiChatConfig | OpenAiResponsesConfig | AnthropicConfig | AiSdkConfig)["provider"];

/** Answers offline, the same way each time. */
export interface DemoConfig {
  readonly provider: "demo";
  /** Pause between two words. Default: 15. */
  readonly wordMs?: number | undefined;
}

export type ModelConfig =
  | OpenAiChatConfig
  | OpenAiResponsesConfig
  | AnthropicConfig
  | AiSdkConfig
  | ChatGptConfig
  | VertexConfig
  | DemoConfig;

export interface ModelDeps {
  /** The bytes of a picture that a request names. Without it, no model is shown any. Throws `not_found` when they are gone. */
  readonly readMedia?: (ref: MediaRef, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly log: Log;
  /** Without it, this process learns from its own failures alone. */
  readonly rests?: SharedRests | undefined;
  /** Without it, models that somebody logs in to cannot be asked. */
  readonly logins?: ModelLogins | undefined;
}

export function reveal(secret: SecretText): string {
  return typeof secret === "string" ? secret : secret.reveal();
}

/** The keys to use, in the order of the configuration. */
export function keysOf({ apiKey }: Pick<RemoteConfig, "apiKey">): readonly SecretText[] {
  if (apiKey === undefined) return [];
  return isSeveral(apiKey) ? apiKey : [apiKey];
}

function isSeveral(apiKey: SecretText | readonly SecretText[]): apiKey is readonly SecretText[] {
  return Array.isArray(apiKey);
}

/** Headers as they go over the wire. */
export function revealed(headers: Readonly<Record<string, SecretText>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, reveal(value)]));
}
