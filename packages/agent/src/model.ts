import type { MediaRef, SessionKey } from "@talaria/protocol";

/** A tool call as the model wrote it. `arguments` is JSON text and may be broken: it is checked when the call runs. */
export interface ToolCall {
  /** Unique within one turn. */
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  /** The model made it with this tool, which makes calls of others. Name and arguments are those of the tool that was meant. */
  readonly via?: "call_tool";
}

/** The longest arguments of a call, in UTF-16 units. */
export const mostArgumentChars = 4_000_000;

/** Stands for longer ones, of which nothing is kept. No call with it runs. */
export const tooLongArguments = '{"error":"too long, nothing of it was kept"}';

/**
 * What a provider wants to see again with an answer: thought signatures, encrypted reasoning. It is sent back
 * unchanged to the same dialect and model, and to no other.
 */
export interface ProviderState {
  readonly dialect: string;
  readonly model: string;
  readonly data: unknown;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly providerState?: ProviderState;
}

/** A picture that goes with a text. Whoever asks the model fetches its bytes. */
export interface ModelImage {
  readonly ref: MediaRef;
  readonly mimeType: string;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: string;
  /** In the order in which the text names them. */
  readonly images?: readonly ModelImage[];
}

export type ModelMessage =
  | UserMessage
  | AssistantMessage
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
    };

/** A tool as the model sees it. `parameters` is a JSON Schema whose bytes never change while the process lives. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Sorted by name. */
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens?: number;
  /** Requests with the same key share a prefix that the provider may cache. */
  readonly cacheKey: SessionKey;
  /** `none`: the answer has no calls. The tools stay in the request, so that its beginning is the same. */
  readonly toolChoice?: "none";
  /** What it takes of the window, as a careful guess. A model whose window is smaller is not asked. */
  readonly estimatedTokens?: number;
  /** The name of a model whose answer to this was empty: it is asked again only where no other can be. */
  readonly emptyFrom?: string;
}

export const modelStops = ["end", "tool_calls", "max_tokens", "refusal", "interrupted"] as const;

/** Why an answer ended. `interrupted` is written by the turn loop, never by a model. */
export type ModelStop = (typeof modelStops)[number];

/**
 * Tokens of one answer. `cachedTokens`, which came from the provider's cache, and `cacheWriteTokens`, which went into it, are
 * parts of `inputTokens`, `reasoningTokens` of `outputTokens`.
 */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/**
 * What a million tokens cost, in the operator's currency. What comes from the provider's cache or goes into it costs as much as
 * other input unless there is a price for it.
 */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** Who is asked. Without a price, nobody knows what it costs. */
export interface AskedModel {
  /** Its name in the configuration. */
  readonly name: string;
  readonly provider: string;
  readonly price?: ModelPrice | undefined;
  /** What a million tokens cost that the agent's own model reads: limits of tokens count in those. */
  readonly unitPrice?: number | undefined;
}

export type ModelFailureKind =
  | "aborted"
  | "auth"
  | "quota"
  | "rate_limit"
  | "overloaded"
  /** The server reports an error of its own: 500, 502, or in words. */
  | "server_error"
  | "network"
  /** The stream ended before the answer did. */
  | "truncated"
  /** The stream went silent. */
  | "stalled"
  | "context_full"
  /** The answer ended at its output limit before the model said anything. */
  | "thought_only"
  /** The answer, its thoughts or its arguments grew without an end, and were ended. */
  | "runaway"
  | "refusal"
  | "not_found"
  | "bad_request";

/** `message` is for operators and holds no secret; people read a notice made from `kind`. */
export interface ModelFailure {
  readonly kind: ModelFailureKind;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** Some of the answer's text was already handed out. */
  readonly visible: boolean;
  /** Retries and fallbacks have been used up: asking again now does not help. */
  readonly exhausted?: true;
  /** With `context_full`: the window of the model that did not take the request, where it is known. */
  readonly windowTokens?: number;
  /** With `context_full`: no server was asked, since the request was guessed to be too long. */
  readonly guessed?: true;
}

export interface ModelDone {
  readonly type: "done";
  readonly message: AssistantMessage;
  readonly stop: ModelStop;
  readonly usage?: ModelUsage;
  /** The model that really answered. */
  readonly servedBy: string;
}

export type ModelEvent =
  | { readonly type: "delta"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The deltas so far belong to a failed attempt; the answer starts again. */
  | { readonly type: "restart" }
  /** What follows comes from this model. */
  | { readonly type: "asked"; readonly model: AskedModel }
  | ModelDone
  | { readonly type: "failed"; readonly error: ModelFailure };

/** Any number of deltas, then exactly one `done` or `failed`. A failure is an event, not an exception. */
export interface ModelPort {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
