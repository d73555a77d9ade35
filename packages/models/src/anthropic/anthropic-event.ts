export const anthropicDialect = "anthropic";

/** A content block as far as it matters here. `type` is open: there are a dozen kinds, and more come. */
export interface ContentBlock {
  readonly type?: string;
  readonly text?: string | null;
  readonly id?: string | null;
  readonly name?: string | null;
  readonly input?: unknown;
  readonly thinking?: string | null;
  readonly signature?: string | null;
  readonly data?: string | null;
}

export interface AnthropicUsage {
  readonly input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  /** The same by how long it is kept; some servers tell this alone. */
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number | null;
    readonly ephemeral_1h_input_tokens?: number | null;
  } | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
}

/**
 * One event of a Messages stream (`RawMessageStreamEvent` of @anthropic-ai/sdk), as it comes from compatible servers too:
 * everything may be missing.
 */
export interface AnthropicEvent {
  readonly type?: string;
  readonly index?: number | null;
  readonly message?: { readonly model?: string | null; readonly usage?: AnthropicUsage | null } | null;
  readonly content_block?: ContentBlock | null;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string | null;
    readonly partial_json?: string | null;
    readonly thinking?: string | null;
    readonly signature?: string | null;
    readonly stop_reason?: string | null;
  } | null;
  readonly usage?: AnthropicUsage | null;
}
