export const responsesDialect = "openai-responses";

/** An output item as far as it matters here. `type` is open: there are a few dozen kinds, and more come. */
export interface OutputItem {
  readonly type?: string;
  readonly call_id?: string | null;
  readonly name?: string | null;
  readonly arguments?: unknown;
  readonly encrypted_content?: string | null;
  readonly summary?: unknown;
  readonly content?: unknown;
  readonly phase?: string | null;
}

export interface ResponsesUsage {
  readonly input_tokens?: number | null;
  readonly input_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
  } | null;
  readonly output_tokens?: number | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/** The whole response, in the events that begin and end it. */
export interface ResponseState {
  readonly model?: string | null;
  readonly status?: string | null;
  readonly output?: readonly OutputItem[] | null;
  readonly usage?: ResponsesUsage | null;
  readonly incomplete_details?: { readonly reason?: string | null } | null;
  readonly error?: {
    readonly code?: string | null;
    readonly type?: string | null;
    readonly message?: string | null;
  } | null;
}

/**
 * One event of a Responses stream (`ResponseStreamEvent` of the openai package), as it comes from compatible servers too:
 * everything may be missing.
 */
export interface ResponsesEvent {
  readonly type?: string;
  readonly output_index?: number | null;
  readonly item_id?: string | null;
  readonly summary_index?: number | null;
  readonly item?: OutputItem | null;
  readonly delta?: unknown;
  readonly arguments?: unknown;
  readonly text?: unknown;
  readonly response?: ResponseState | null;
  readonly code?: string | null;
  readonly message?: string | null;
}

/** Stands for `[DONE]`, which OpenAI does not send and others do. */
export const responseDone: ResponsesEvent = Object.freeze({});
