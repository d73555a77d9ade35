/** A piece of a tool call as servers really send it. */
export interface ChatCallPart {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  /** Google's thought signature travels here. */
  readonly extra_content?: unknown;
}

export interface ChatDelta {
  readonly content?: unknown;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly unknown[] | null;
  readonly tool_calls?: readonly ChatCallPart[] | null;
}

export interface ChatUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/**
 * One chunk of a Chat Completions stream, as the compatible servers send it: everything may be missing or null.
 * The types of the openai package promise more than those servers keep.
 */
export interface ChatChunk {
  readonly model?: string | null;
  readonly choices?:
    | readonly {
        readonly index?: number | null;
        readonly delta?: ChatDelta | null;
        readonly message?: ChatDelta | null;
        readonly finish_reason?: string | null;
      }[]
    | null;
  readonly usage?: ChatUsage | null;
}

/** What rides along with an answer for the same model only: `calls` by position, since ids may be changed; once by id. */
export interface ChatState {
  readonly calls?: Readonly<Record<string, unknown>>;
  readonly reasoningDetails?: readonly unknown[];
}

export const chatDialect = "openai-chat";
