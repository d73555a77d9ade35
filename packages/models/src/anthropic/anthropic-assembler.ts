import type { ModelEvent, ModelStop, ModelUsage } from "@talaria/agent";
import { addArguments, type GrowingPart, messageOf } from "../dialect/answer-parts.ts";
import type { AnswerEnd, Assembler } from "../dialect/dialect.ts";
import { countOf } from "../dialect/wire-text.ts";
import { type AnthropicEvent, type AnthropicUsage, anthropicDialect, type ContentBlock } from "./anthropic-event.ts";

/** A thought as it is sent back: unchanged, with its signature. */
interface Thought {
  readonly type: "thinking";
  thinking: string;
  signature: string;
}

/** Puts the events of one message together. It is whole with `message_stop`, once a stop reason has come. */
export class AnthropicAssembler implements Assembler<AnthropicEvent> {
  readonly #model: string;
  readonly #parts = new Map<number, GrowingPart>();
  #last = -1;
  #servedBy: string;
  #stopReason: string | undefined;
  #usage: AnthropicUsage | undefined;

  constructor(model: string) {
    this.#model = model;
    this.#servedBy = model;
  }

  get isFinished(): boolean {
    return this.#stopReason !== undefined;
  }

  add(event: AnthropicEvent): readonly ModelEvent[] {
    switch (event.type) {
      case "message_start":
        if (event.message?.model) this.#servedBy = event.message.model;
        this.#count(event.message?.usage);
        return [];
      case "content_block_start":
        return this.#begin(event);
      case "content_block_delta":
        return this.#grow(event);
      case "message_delta":
        this.#count(event.usage);
        if (event.delta?.stop_reason) this.#stopReason = event.delta.stop_reason;
        return [];
      default:
        return [];
    }
  }

  end(): AnswerEnd {
    const message = messageOf(this.#finishedParts(), { dialect: anthropicDialect, model: this.#model });
    if (this.#stopReason === undefined) {
      const error = { kind: "truncated", message: "the stream ended before the message did" } as const;
      return { type: "failed", error: { ...error, visible: message.content !== "" } };
    }
    return {
      type: "done",
      message,
      stop: stopOf(this.#stopReason, message.toolCalls.length > 0),
      ...(this.#usage && { usage: toUsage(this.#usage) }),
      servedBy: this.#servedBy,
    };
  }

  #begin({ index, content_block: block }: AnthropicEvent): readonly ModelEvent[] {
    const part = block && newPart(block);
    if (part === undefined || part === null) return [];
    this.#last = index ?? this.#last + 1;
    this.#parts.set(this.#last, part);
    return part.kind === "text" && part.text !== "" ? [{ type: "delta", text: part.text }] : [];
  }

  #grow({ index, delta }: AnthropicEvent): readonly ModelEvent[] {
    const part = this.#parts.get(index ?? this.#last);
    if (part === undefined || !delta) return [];
    if (part.kind === "text" && delta.text) {
      part.text += delta.text;
      return [{ type: "delta", text: delta.text }];
    }
    if (part.kind === "call") addArguments(part, delta.partial_json ?? "");
    return part.kind === "opaque" && isThought(part.data) ? think(part.data, delta) : [];
  }

  /** A thought that was cut off before its signature is refused when it comes back. */
  #finishedParts(): readonly GrowingPart[] {
    return [...this.#parts]
      .toSorted(([one], [other]) => one - other)
      .map(([, part]) => part)
      .filter((part) => part.kind !== "opaque" || !isThought(part.data) || part.data.signature !== "");
  }

  /** Later counts replace earlier ones; what an event leaves out stays. */
  #count(usage: AnthropicUsage | null | undefined): void {
    if (!usage) return;
    const told = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(told) };
  }
}

function think(thought: Thought, delta: NonNullable<AnthropicEvent["delta"]>): readonly ModelEvent[] {
  thought.thinking += delta.thinking ?? "";
  thought.signature += delta.signature ?? "";
  return delta.thinking ? [{ type: "reasoning", text: delta.thinking }] : [];
}

/** Blocks of other kinds, such as searches that the server did, are not replayed. */
function newPart(block: ContentBlock): GrowingPart | undefined {
  switch (block.type) {
    case "text":
      return { kind: "text", text: block.text ?? "" };
    case "tool_use":
      return { kind: "call", callId: block.id ?? "", name: block.name ?? "", arguments: whole(block.input) };
    case "thinking":
      return {
        kind: "opaque",
        data: { type: "thinking", thinking: block.thinking ?? "", signature: block.signature ?? "" },
      };
    case "redacted_thinking":
      return { kind: "opaque", data: { type: "redacted_thinking", data: block.data ?? "" } };
    default:
      return undefined;
  }
}

/** Compatible servers may send the arguments with the start; the others an empty object. */
function whole(input: unknown): string {
  if (typeof input === "string") return input;
  return input !== null && typeof input === "object" && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
}

function isThought(data: unknown): data is Thought {
  return (data as { readonly type?: unknown } | null)?.type === "thinking";
}

/** Calls decide more than the server's word, except that an answer cut by length is never whole. */
function stopOf(reason: string, hasCalls: boolean): ModelStop {
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "max_tokens";
  if (reason === "refusal") return hasCalls ? "max_tokens" : "refusal";
  return hasCalls ? "tool_calls" : "end";
}

/** Their `input_tokens` are only those that came from no cache. */
function toUsage(usage: AnthropicUsage): ModelUsage {
  const cachedTokens = countOf(usage.cache_read_input_tokens);
  const cacheWriteTokens = countOf(usage.cache_creation_input_tokens);
  return {
    inputTokens: countOf(usage.input_tokens) + cacheWriteTokens + cachedTokens,
    cachedTokens,
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
    outputTokens: countOf(usage.output_tokens),
    reasoningTokens: countOf(usage.output_tokens_details?.thinking_tokens),
  };
}
