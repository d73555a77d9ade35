import type { ModelDone, ModelEvent, ModelFailure, ModelStop, ModelUsage, ToolCall } from "@talaria/agent";
import { addArguments } from "../dialect/answer-parts.ts";
import { type ChatCallPart, type ChatChunk, type ChatState, type ChatUsage, chatDialect } from "./chat-chunk.ts";

interface GrowingCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: unknown;
}

/**
 * Puts the chunks of one answer together. Copes with what compatible servers do: calls interleaved, without index,
 * with a reused index or without id, arguments as an object, calls that end with "stop", missing or late usage.
 */
export class ChatAssembler {
  readonly #model: string;
  readonly #calls: GrowingCall[] = [];
  readonly #reasoningDetails: unknown[] = [];
  #servedBy: string;
  #content = "";
  #refused = false;
  #finishReason: string | undefined;
  #usage: ModelUsage | undefined;

  /** `model`: the configured name, for servers that do not say which one answered. */
  constructor(model: string) {
    this.#model = model;
    this.#servedBy = model;
  }

  /** The server has said why the answer ended; only usage can follow. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  add(chunk: ChatChunk): readonly ModelEvent[] {
    if (chunk.model) this.#servedBy = chunk.model;
    if (chunk.usage) this.#usage = toUsage(chunk.usage);
    const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
    if (choice === undefined) return [];
    if (choice.finish_reason) this.#finishReason = choice.finish_reason;
    const delta = choice.delta ?? choice.message ?? {};
    for (const part of delta.tool_calls ?? []) this.#addCallPart(part);
    this.#reasoningDetails.push(...(delta.reasoning_details ?? []));
    if (delta.refusal) this.#refused = true;
    const reasoning = delta.reasoning_content ?? delta.reasoning ?? "";
    const text = textOf(delta.content) + (delta.refusal ?? "");
    this.#content += text;
    return [
      ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning } as const]),
      ...(text === "" ? [] : [{ type: "delta", text } as const]),
    ];
  }

  /** The whole answer, or why there is none: a stream without a finish reason is cut off, however much it said. */
  end(): ModelDone | { readonly type: "failed"; readonly error: ModelFailure } {
    const visible = this.#content !== "";
    const fail = (kind: ModelFailure["kind"], message: string) =>
      ({ type: "failed", error: { kind, message, visible } }) as const;
    if (this.#finishReason === undefined) return fail("truncated", "the stream ended without a finish reason");
    if (this.#finishReason === "error") return fail("overloaded", "the provider ended the answer with an error");
    const toolCalls = this.#toolCalls();
    const providerState = this.#providerState();
    return {
      type: "done",
      message: { role: "assistant", content: this.#content, toolCalls, ...(providerState && { providerState }) },
      stop: this.#stop(toolCalls.length > 0),
      ...(this.#usage && { usage: this.#usage }),
      servedBy: this.#servedBy,
    };
  }

  #addCallPart(part: ChatCallPart): void {
    const call = this.#callOf(part);
    if (call.id === "" && part.id) call.id = part.id;
    if (call.name === "" && part.function?.name) call.name = part.function.name;
    call.extra ??= part.extra_content;
    const piece = part.function?.arguments;
    if (typeof piece === "string") addArguments(call, piece);
    else if (piece !== undefined && piece !== null) call.arguments = JSON.stringify(piece);
  }

  /** The call that a part continues, or a new one that it begins. */
  #callOf(part: ChatCallPart): GrowingCall {
    const known = this.#knownCall(part);
    if (known !== undefined && !beginsAnother(part, known)) return known;
    const call: GrowingCall = { index: part.index ?? undefined, id: "", name: "", arguments: "", extra: undefined };
    this.#calls.push(call);
    return call;
  }

  /** Found by index, or else by id, or else the last one, unless the part has a name and so begins a call. */
  #knownCall({ index, id, function: named }: ChatCallPart): GrowingCall | undefined {
    if (index !== undefined && index !== null) return this.#calls.findLast((call) => call.index === index);
    if (id) return this.#calls.findLast((call) => call.id === id);
    return named?.name ? undefined : this.#calls.at(-1);
  }

  #toolCalls(): readonly ToolCall[] {
    return this.#calls.map((call, position) => ({
      callId: call.id === "" ? `call_${position + 1}` : call.id,
      name: call.name,
      arguments: call.arguments === "" ? "{}" : call.arguments,
    }));
  }

  #providerState() {
    const extras = this.#calls.flatMap(({ extra }, position) =>
      extra === undefined || extra === null ? [] : [[position, extra] as const],
    );
    if (extras.length === 0 && this.#reasoningDetails.length === 0) return undefined;
    const data: ChatState = {
      ...(extras.length > 0 && { calls: Object.fromEntries(extras) }),
      ...(this.#reasoningDetails.length > 0 && { reasoningDetails: this.#reasoningDetails }),
    };
    return { dialect: chatDialect, model: this.#model, data };
  }

  /** Calls decide more than the server's word, except that an answer cut by length is never whole. */
  #stop(hasCalls: boolean): ModelStop {
    if (this.#finishReason === "length") return "max_tokens";
    if (hasCalls) return "tool_calls";
    return this.#finishReason === "content_filter" || this.#refused ? "refusal" : "end";
  }
}

/** Servers use one index for several calls: a name with a new id, or without any after whole arguments, is another. */
function beginsAnother(part: ChatCallPart, known: GrowingCall): boolean {
  if (!part.function?.name || known.name === "") return false;
  return part.id ? part.id !== known.id : known.id === "" && isJson(known.arguments);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Content is a text, or with some servers a list of parts of which the texts count. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { type?: unknown; text?: unknown }) => (typeof part?.text === "string" ? part.text : ""))
    .join("");
}

function toUsage(usage: ChatUsage): ModelUsage {
  return {
    inputTokens: count(usage.prompt_tokens),
    cachedTokens: count(usage.prompt_tokens_details?.cached_tokens),
    outputTokens: count(usage.completion_tokens),
    reasoningTokens: count(usage.completion_tokens_details?.reasoning_tokens),
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
