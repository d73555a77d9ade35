import type { ModelEvent, ModelFailureKind, ModelUsage } from "@talaria/agent";
import { addArguments, boundParts, type GrowingPart, messageOf } from "../dialect/answer-parts.ts";
import type { AnswerEnd, Assembler } from "../dialect/dialect.ts";
import { endingOf, hasSaid, stopOf } from "../dialect/finish-reason.ts";
import { WireError } from "../dialect/model-failure.ts";
import { countOf } from "../dialect/wire-text.ts";
import {
  type OutputItem,
  type ResponseState,
  type ResponsesEvent,
  type ResponsesUsage,
  responseDone,
  responsesDialect,
} from "./responses-event.ts";

/**
 * Puts the events of one response together. A response is whole with `response.completed` or `response.incomplete`, or with what
 * other servers send in their place; a stream that only ends was cut.
 */
export class ResponsesAssembler implements Assembler<ResponsesEvent> {
  readonly #model: string;
  /** By output index; servers that send none are taken at their word about the order. */
  readonly #parts = new Map<number, GrowingPart>();
  #last = -1;
  #servedBy: string;
  #state: ResponseState | undefined;
  #refused = false;
  #isDone = false;
  /** Of the thought that is being summarised: its item and paragraph. */
  #paragraph = "";

  constructor(model: string) {
    this.#model = model;
    this.#servedBy = model;
  }

  get isFinished(): boolean {
    return this.#state !== undefined;
  }

  add(event: ResponsesEvent): readonly ModelEvent[] {
    if (event === responseDone) this.#isDone = true;
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
        return this.#think(event);
      case "response.function_call_arguments.delta":
        this.#addArguments(event);
        return [];
      case "response.output_item.done":
        return this.#finishItem(event);
      case "response.completed":
      case "response.incomplete":
      case "response.done":
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
    const fail = (kind: ModelFailureKind, text: string) =>
      ({ type: "failed", error: { kind, message: text, visible: message.content !== "" } }) as const;
    const state = this.#state ?? (this.#isDone && hasSaid(message) ? {} : undefined);
    if (state === undefined) return fail("truncated", "the stream ended before the response did");
    const reason = state.incomplete_details?.reason;
    const ending = reason ? incompleteFor(reason) : endingOf(state.status ?? "completed");
    if (typeof ending === "object") return fail(ending.failed, `the provider ended the response as ${state.status}`);
    return {
      type: "done",
      message,
      stop: stopOf(ending === "whole" && this.#refused ? "refused" : ending, message.toolCalls.length > 0),
      ...(state.usage && { usage: toUsage(state.usage) }),
      servedBy: this.#servedBy,
    };
  }

  /** Paragraphs of a summary come one after the other, without anything between them. */
  #think(event: ResponsesEvent): readonly ModelEvent[] {
    if (typeof event.delta !== "string" || event.delta === "") return [];
    const paragraph = `${event.item_id ?? event.output_index} ${event.summary_index}`;
    const isNext = this.#paragraph !== "" && this.#paragraph !== paragraph;
    this.#paragraph = paragraph;
    return [{ type: "reasoning", text: isNext ? `\n\n${event.delta}` : event.delta }];
  }

  #begin({ output_index, item }: ResponsesEvent): GrowingPart | undefined {
    const index = output_index ?? this.#last + 1;
    const part = item ? newPart(item) : undefined;
    if (part === undefined) return undefined;
    this.#last = index;
    this.#parts.set(index, part);
    boundParts(this.#parts.size);
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
      part.arguments = argumentsOf(item) || part.arguments;
    }
    if (part?.kind === "opaque") part.data = keptThought(item);
    if (part?.kind === "text" && item.phase) part.data = { phase: item.phase };
    return [];
  }

  #lastLike(item: OutputItem): GrowingPart | undefined {
    const part = this.#parts.get(this.#last);
    return part?.kind === newPart(item)?.kind ? part : undefined;
  }
}

/** Whatever made a response incomplete, it is not whole. */
function incompleteFor(reason: string) {
  const ending = endingOf(reason);
  return ending === "whole" ? "cut" : ending;
}

/** Items of other kinds, such as searches that the server did, are not replayed. */
function newPart(item: OutputItem): GrowingPart | undefined {
  switch (item.type) {
    case "message":
      return { kind: "text", text: "" };
    case "function_call":
      return { kind: "call", callId: item.call_id ?? "", name: item.name ?? "", arguments: argumentsOf(item) };
    case "reasoning":
      return { kind: "opaque", data: undefined };
    default:
      return undefined;
  }
}

/** A text, or with some servers the object itself. */
function argumentsOf({ arguments: given }: OutputItem): string {
  if (typeof given === "string") return given;
  return given === null || given === undefined ? "" : JSON.stringify(given);
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
  const cacheWriteTokens = countOf(usage.input_tokens_details?.cache_write_tokens);
  return {
    inputTokens: countOf(usage.input_tokens),
    cachedTokens: countOf(usage.input_tokens_details?.cached_tokens),
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
    outputTokens: countOf(usage.output_tokens),
    reasoningTokens: countOf(usage.output_tokens_details?.reasoning_tokens),
  };
}
