import type { ModelEvent, ModelStop, ModelUsage } from "@talaria/agent";
import { addArguments, type GrowingPart, messageOf } from "../dialect/answer-parts.ts";
import type { AnswerEnd, Assembler } from "../dialect/dialect.ts";
import { WireError } from "../dialect/model-failure.ts";
import { countOf } from "../dialect/wire-text.ts";
import {
  type OutputItem,
  type ResponseState,
  type ResponsesEvent,
  type ResponsesUsage,
  responsesDialect,
} from "./responses-event.ts";

/**
 * Puts the events of one response together. A response is whole with `response.completed` or `response.incomplete`; a
 * stream that ends without either was cut.
 */
export class ResponsesAssembler implements Assembler<ResponsesEvent> {
  readonly #model: string;
  /** By output index; servers that send none are taken at their word about the order. */
  readonly #parts = new Map<number, GrowingPart>();
  #last = -1;
  #servedBy: string;
  #state: ResponseState | undefined;
  #refused = false;

  constructor(model: string) {
    this.#model = model;
    this.#servedBy = model;
  }

  get isFinished(): boolean {
    return this.#state !== undefined;
  }

  add(event: ResponsesEvent): readonly ModelEvent[] {
    if (event.response?.model) this.#servedBy = event.response.model;
    switch (event.type) {
      case "response.output_item.added":
        this.#begin(event);
        return [];
      case "response.output_text.delta":
        return this.#say(event);
      case "response.refusal.delta":
        this.#refused = true;
        return this.#say(event);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return typeof event.delta === "string" && event.delta !== "" ? [{ type: "reasoning", text: event.delta }] : [];
      case "response.function_call_arguments.delta":
        this.#addArguments(event);
        return [];
      case "response.output_item.done":
        return this.#finishItem(event);
      case "response.completed":
      case "response.incomplete":
        this.#state = event.response ?? {};
        return [];
      case "response.failed":
        throw failureOf(event.response?.error);
      case "error":
        throw failureOf(event);
      default:
        return [];
    }
  }

  end(): AnswerEnd {
    const parts = [...this.#parts].toSorted(([one], [other]) => one - other).map(([, part]) => part);
    const message = messageOf(parts, { dialect: responsesDialect, model: this.#model });
    if (this.#state === undefined) {
      const error = { kind: "truncated", message: "the stream ended before the response did" } as const;
      return { type: "failed", error: { ...error, visible: message.content !== "" } };
    }
    const { usage, incomplete_details: incomplete } = this.#state;
    return {
      type: "done",
      message,
      stop: this.#stop(message.toolCalls.length > 0, incomplete?.reason),
      ...(usage && { usage: toUsage(usage) }),
      servedBy: this.#servedBy,
    };
  }

  #begin({ output_index, item }: ResponsesEvent): GrowingPart | undefined {
    const index = output_index ?? this.#last + 1;
    const part = item ? newPart(item) : undefined;
    if (part === undefined) return undefined;
    this.#last = index;
    this.#parts.set(index, part);
    return part;
  }

  #partAt({ output_index }: ResponsesEvent): GrowingPart | undefined {
    return this.#parts.get(output_index ?? this.#last);
  }

  #say(event: ResponsesEvent): readonly ModelEvent[] {
    if (typeof event.delta !== "string" || event.delta === "") return [];
    const known = this.#partAt(event);
    const part = known?.kind === "text" ? known : this.#begin({ ...event, item: { type: "message" } });
    if (part?.kind === "text") part.text += event.delta;
    return [{ type: "delta", text: event.delta }];
  }

  #addArguments(event: ResponsesEvent): void {
    const part = this.#partAt(event);
    if (part?.kind === "call" && typeof event.delta === "string") addArguments(part, event.delta);
  }

  /** The finished item is what counts: its arguments are whole, its thoughts encrypted. */
  #finishItem(event: ResponsesEvent): readonly ModelEvent[] {
    const { item } = event;
    if (!item) return [];
    const known = event.output_index == null ? undefined : this.#parts.get(event.output_index);
    const part = known ?? (event.output_index == null ? this.#lastLike(item) : undefined) ?? this.#begin(event);
    if (part?.kind === "call") {
      part.callId ||= item.call_id ?? "";
      part.name ||= item.name ?? "";
      if (item.arguments) part.arguments = item.arguments;
    }
    if (part?.kind === "opaque") part.data = keptThought(item);
    if (part?.kind === "text" && item.phase) part.data = { phase: item.phase };
    return [];
  }

  #lastLike(item: OutputItem): GrowingPart | undefined {
    const part = this.#parts.get(this.#last);
    return part?.kind === newPart(item)?.kind ? part : undefined;
  }

  #stop(hasCalls: boolean, reason: string | null | undefined): ModelStop {
    if (reason === "content_filter") return hasCalls ? "max_tokens" : "refusal";
    if (reason) return "max_tokens";
    if (hasCalls) return "tool_calls";
    return this.#refused ? "refusal" : "end";
  }
}

/** Items of other kinds, such as searches that the server did, are not replayed. */
function newPart(item: OutputItem): GrowingPart | undefined {
  switch (item.type) {
    case "message":
      return { kind: "text", text: "" };
    case "function_call":
      return { kind: "call", callId: item.call_id ?? "", name: item.name ?? "", arguments: item.arguments ?? "" };
    case "reasoning":
      return { kind: "opaque", data: undefined };
    default:
      return undefined;
  }
}

/** Without its encrypted content a thought would have to be stored on the server, and we store nothing there. */
function keptThought(item: OutputItem): unknown {
  if (!item.encrypted_content) return undefined;
  const { status: _, ...thought } = item as OutputItem & { readonly status?: unknown };
  return thought;
}

function failureOf(said: ResponseState["error"] | ResponsesEvent): WireError {
  const { code, message } = said ?? {};
  const type = said?.type === "error" ? undefined : said?.type;
  return new WireError(message ?? "the response failed", { code, type });
}

function toUsage(usage: ResponsesUsage): ModelUsage {
  return {
    inputTokens: countOf(usage.input_tokens),
    cachedTokens: countOf(usage.input_tokens_details?.cached_tokens),
    outputTokens: countOf(usage.output_tokens),
    reasoningTokens: countOf(usage.output_tokens_details?.reasoning_tokens),
  };
}
