/** A piece of a tool call as servers really send it. */
export interface ChatCallPart {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  /** Google's thought signature travels here. */
  readonly extra_content?: unknown;
}

/** The names under which servers send thoughts, the usual one first. Some send the same under two of them. */
export const thoughtFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;
export type ThoughtField = (typeof thoughtFields)[number];

export interface ChatDelta extends Readonly<Partial<Record<ThoughtField, unknown>>> {
  readonly content?: unknown;
  readonly refusal?: string | null;
  /** OpenRouter's, and of those who do as it does. */
  readonly reasoning_details?: readonly unknown[] | null;
  /** Copilot's signature of its `reasoning_text`. */
  readonly reasoning_opaque?: string | null;
  readonly tool_calls?: readonly (ChatCallPart | null)[] | null;
}

interface InputDetails {
  readonly cached_tokens?: unknown;
  readonly cache_write_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
}

interface OutputDetails {
  readonly reasoning_tokens?: unknown;
}

/** Where each name comes from says `toChatUsage`. */
export interface ChatUsage {
  readonly prompt_tokens?: unknown;
  readonly input_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly total_tokens?: unknown;
  readonly prompt_tokens_details?: InputDetails | null;
  readonly input_tokens_details?: InputDetails | null;
  readonly completion_tokens_details?: OutputDetails | null;
  readonly output_tokens_details?: OutputDetails | null;
  readonly prompt_cache_hit_tokens?: unknown;
  readonly cached_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  readonly reasoning_tokens?: unknown;
}

export interface ChatChoice {
  readonly index?: number | null;
  readonly delta?: ChatDelta | null;
  readonly message?: ChatDelta | null;
  readonly finish_reason?: string | null;
  /** Moonshot's place for it. */
  readonly usage?: ChatUsage | null;
}

/**
 * One chunk of a Chat Completions stream, as the compatible servers send it: everything may be missing or null.
 * The types of the openai package promise more than those servers keep.
 */
export interface ChatChunk {
  readonly model?: string | null;
  readonly choices?: readonly (ChatChoice | null)[] | null;
  readonly usage?: ChatUsage | null;
  readonly x_groq?: { readonly usage?: ChatUsage | null } | null;
}

/** Stands for `[DONE]`: the server has said all it wants to say. */
export const streamDone: ChatChunk = Object.freeze({});

/** What rides along with an answer for the same model only: `calls` by position, since ids may be changed; once by id. */
export interface ChatState {
  readonly calls?: Readonly<Record<string, unknown>>;
  readonly reasoningDetails?: readonly unknown[];
  /** The thoughts, under the name they came with. */
  readonly thought?: { readonly field: ThoughtField; readonly text: string };
  readonly opaque?: string;
  /** What stood before the content and was read as a thought, byte for byte, with its tags. */
  readonly head?: string;
}

export const chatDialect = "openai-chat";
