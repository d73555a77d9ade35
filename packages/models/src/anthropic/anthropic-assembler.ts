import type { ModelEvent, ModelFailureKind, ModelUsage } from "@talaria/agent";
import { addArguments, boundParts, type GrowingPart, messageOf } from "../dialect/answer-parts.ts";
import type { AnswerEnd, Assembler } from "../dialect/dialect.ts";
import { endingOf, hasSaid, stopOf, weightier } from "../dialect/finish-reason.ts";
import { countOf } from "../dialect/wire-text.ts";
import { type AnthropicEvent, type AnthropicUsage, anthropicDialect, type ContentBlock } from "./anthropic-event.ts";

/** A thought as it is sent back: unchanged, with its signature. */
interface Thought {
  readonly type: "thinking";
  thinking: string;
  signature: string;
}

/** Puts the events of one message together. It is whole once a stop reason has come, or with `message_stop` alone. */
export class AnthropicAssembler implements Assembler<AnthropicEvent> {
  readonly #model: string;
  readonly #parts = new Map<number, GrowingPart>();
  readonly #keepsUnsigned: boolean;
  readonly #closed = new Set<number>();
  #last = -1;
  #servedBy: string;
  #stopReason: string | undefined;
  #isStopped = false;
  #usage: AnthropicUsage | undefined;

  /** `keepsUnsigned`: thoughts are sent back without a signature too, once they are whole. */
  constructor(model: string, { keepsUnsigned = false }: { readonly keepsUnsigned?: boolean } = {}) {
    this.#model = model;
    this.#servedBy = model;
    this.#keepsUnsigned = keepsUnsigned;
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
      case "content_block_stop":
        this.#closed.add(event.index ?? this.#last);
        return [];
      case "message_delta":
        this.#count(event.usage);
        if (event.delta?.stop_reason) this.#stopReason = weightier(this.#stopReason, event.delta.stop_reason);
        return [];
      case "message_stop":
        this.#isStopped = true;
        return [];
      default:
        return [];
    }
  }

  end(): AnswerEnd {
    const message = messageOf(this.#finishedParts(), { dialect: anthropicDialect, model: this.#model });
    const fail = (kind: ModelFailureKind, text: string) =>
      ({ type: "failed", error: { kind, message: text, visible: message.content !== "" } }) as const;
    // Some servers end the message without ever saying why.
    const reason = this.#stopReason ?? (this.#isStopped && hasSaid(message) ? "end_turn" : undefined);
    if (reason === undefined) return fail("truncated", "the stream ended before the message did");
    const ending = endingOf(reason);
    if (typeof ending === "object") return fail(ending.failed, `the provider ended the answer with ${reason}`);
    return {
      type: "done",
      message,
      stop: stopOf(ending, message.toolCalls.length > 0),
      ...(this.#usage && { usage: toUsage(this.#usage) }),
      servedBy: this.#servedBy,
    };
  }

  #begin({ index, content_block: block }: AnthropicEvent): readonly ModelEvent[] {
    const part = block && newPart(block);
    if (part === undefined || part === null) return [];
    this.#last = index ?? this.#last + 1;
    this.#parts.set(this.#last, part);
    boundParts(this.#parts.size);
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
      .filter(([index, part]) => !isCut(part) || (this.#keepsUnsigned && this.#closed.has(index)))
      .map(([, part]) => part);
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

/** A thought without its signature. */
function isCut(part: GrowingPart): boolean {
  return part.kind === "opaque" && isThought(part.data) && part.data.signature === "";
}

function isThought(data: unknown): data is Thought {
  return (data as { readonly type?: unknown } | null)?.type === "thinking";
}

/** Their `input_tokens` are only those that came from no cache. */
function toUsage(usage: AnthropicUsage): ModelUsage {
  const cachedTokens = countOf(usage.cache_read_input_tokens);
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation ?? {};
  const cacheWriteTokens = countOf(usage.cache_creation_input_tokens) || countOf(short) + countOf(long);
  return {
    inputTokens: countOf(usage.input_tokens) + cacheWriteTokens + cachedTokens,
    cachedTokens,
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
    outputTokens: countOf(usage.output_tokens),
    reasoningTokens: countOf(usage.output_tokens_details?.thinking_tokens),
  };
}
