import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelEvent, ModelFailureKind, ModelUsage } from "@talaria/agent";
import { boundParts, type GrowingPart, messageOf } from "../dialect/answer-parts.ts";
import type { AnswerEnd, Assembler } from "../dialect/dialect.ts";
import { type Ending, endingOf, stopOf } from "../dialect/finish-reason.ts";
import { WireError } from "../dialect/model-failure.ts";
import { countOf } from "../dialect/wire-text.ts";
import type { AiSdkConfig } from "../model-config.ts";

/** What a package wants to see again with a part: Google's thought signatures, Bedrock's of reasoning. */
type Metadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A thought as it is sent back. */
export interface KeptThought {
  text: string;
  metadata?: Metadata;
}

/**
 * Puts the parts of one answer together. The packages hand out calls of cut answers, and end a cut stream with a
 * finish of their own: only a finish with the provider's own reason counts.
 */
export class AiSdkAssembler implements Assembler<LanguageModelV4StreamPart> {
  readonly #config: AiSdkConfig;
  readonly #parts: GrowingPart[] = [];
  readonly #open = new Map<string, GrowingPart>();
  #servedBy: string;
  #finish: LanguageModelV4FinishReason | undefined;
  #usage: LanguageModelV4Usage | undefined;

  constructor(config: AiSdkConfig) {
    this.#config = config;
    this.#servedBy = config.model;
  }

  get isFinished(): boolean {
    return this.#finish?.raw !== undefined;
  }

  add(part: LanguageModelV4StreamPart): readonly ModelEvent[] {
    switch (part.type) {
      case "response-metadata":
        if (part.modelId) this.#servedBy = part.modelId;
        return [];
      case "text-start":
      case "text-delta":
      case "text-end":
        return this.#say(part);
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return this.#think(part);
      case "tool-call":
        if (part.providerExecuted) return [];
        this.#parts.push({
          kind: "call",
          callId: part.toolCallId,
          name: part.toolName,
          arguments: part.input,
          data: part.providerMetadata,
        });
        boundParts(this.#parts.length);
        return [];
      case "finish":
        this.#finish = part.finishReason;
        this.#usage = part.usage;
        return [];
      case "error":
        throw part.error instanceof Error ? part.error : wireError(part.error);
      default:
        return [];
    }
  }

  end(): AnswerEnd {
    const { provider, model } = this.#config;
    const parts = this.#parts.filter((part) => part.kind !== "opaque" || (part.data as KeptThought).metadata);
    const message = messageOf(parts, { dialect: provider, model });
    const fail = (kind: ModelFailureKind, text: string) =>
      ({ type: "failed", error: { kind, message: text, visible: message.content !== "" } }) as const;
    if (this.#finish?.raw === undefined) return fail("truncated", "the stream ended without a finish reason");
    const ending = endingFor(this.#finish);
    if (typeof ending === "object")
      return fail(ending.failed, `the provider ended the answer with ${this.#finish.raw}`);
    return {
      type: "done",
      message,
      stop: stopOf(ending, message.toolCalls.length > 0),
      ...(this.#usage && { usage: toUsage(this.#usage) }),
      servedBy: this.#servedBy,
    };
  }

  #say(said: { readonly id: string; readonly delta?: string; readonly providerMetadata?: Metadata }) {
    const part = this.#partOf(`text ${said.id}`, () => ({ kind: "text", text: "" }));
    if (part.kind !== "text") return [];
    if (said.providerMetadata) part.data = joined(part.data as Metadata | undefined, said.providerMetadata);
    if (!said.delta) return [];
    part.text += said.delta;
    return [{ type: "delta", text: said.delta } as const];
  }

  #think(thought: { readonly id: string; readonly delta?: string; readonly providerMetadata?: Metadata }) {
    const part = this.#partOf(`reasoning ${thought.id}`, () => ({ kind: "opaque", data: { text: "" } }));
    if (part.kind !== "opaque") return [];
    const kept = part.data as KeptThought;
    kept.text += thought.delta ?? "";
    if (thought.providerMetadata) kept.metadata = joined(kept.metadata, thought.providerMetadata);
    return thought.delta ? [{ type: "reasoning", text: thought.delta } as const] : [];
  }

  #partOf(key: string, begin: () => GrowingPart): GrowingPart {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const part = begin();
    this.#open.set(key, part);
    this.#parts.push(part);
    boundParts(this.#parts.length);
    return part;
  }
}

function joined(earlier: Metadata | undefined, later: Metadata): Metadata {
  const names = Object.entries(later).map(([name, value]) => [name, { ...earlier?.[name], ...value }] as const);
  return { ...earlier, ...Object.fromEntries(names) };
}

/** What a provider reports inside the stream. */
function wireError(error: unknown): WireError {
  if (error === null || typeof error !== "object") return new WireError(String(error));
  const { message, code, type, statusCode } = error as Readonly<Record<string, unknown>>;
  return new WireError(typeof message === "string" ? message : JSON.stringify(error), {
    code,
    type,
    status: statusCode,
  });
}

/** The provider's own word says more than the package's, where we know it. */
function endingFor({ raw, unified }: LanguageModelV4FinishReason): Ending {
  const ending = endingOf(raw ?? "");
  return ending === "whole" ? endingOf(unified) : ending;
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelUsage {
  const cacheWriteTokens = countOf(inputTokens.cacheWrite);
  return {
    inputTokens: countOf(inputTokens.total),
    cachedTokens: countOf(inputTokens.cacheRead),
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
    outputTokens: countOf(outputTokens.total),
    reasoningTokens: countOf(outputTokens.reasoning),
  };
}
