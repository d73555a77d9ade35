import { eventStreamFrame } from "./event-stream-frame.ts";
import {
  type DialectRequest,
  listOf,
  type Refusal,
  retryAfter,
  type Speaker,
  unknownKey,
  type Voice,
} from "./voice.ts";
import type { AnswerStep, Trouble, WireStop, WireUsage } from "./wire-answer.ts";

/**
 * Bedrock's `ConverseStream` with an API key. Wire facts: `amazon-bedrock-api-types.ts`, the stream schema and the error
 * types of @ai-sdk/amazon-bedrock 5.0.101.
 */
export const bedrockVoice: Voice = {
  contentType: "application/vnd.amazon.eventstream",
  path: /^\/model\/[^/]+\/converse-stream$/,
  keyOf: ({ authorization }) => /^Bearer (.+)$/.exec(authorization ?? "")?.[1],
  findFlaw: ({ body }) => findRequestFlaw(body) ?? findMessageFlaw(listOf(body.messages)),
  refuse,
  speaker: () => new BedrockSpeaker(),
};

const topKeys = `messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables
  additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier outputConfig`;
const blockKeys =
  "text image document video toolUse toolResult guardContent cachePoint reasoningContent citationsContent";

interface Block {
  readonly text?: string;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
  readonly toolResult?: { readonly toolUseId: string; readonly content: unknown; readonly status?: string };
  readonly reasoningContent?: { readonly reasoningText?: { readonly text?: string; readonly signature?: string } };
}

function findRequestFlaw(body: DialectRequest["body"]): string | undefined {
  if (listOf(body.messages).length === 0) return "A conversation must start with a user message.";
  const hasCalls = JSON.stringify(body.messages).includes('"toolUse":');
  if (hasCalls && body.toolConfig === undefined)
    return "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
  const { tools } = (body.toolConfig ?? {}) as { tools?: unknown };
  for (const { toolSpec } of listOf<{ toolSpec?: { name?: string; inputSchema?: { json?: unknown } } }>(tools)) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(toolSpec?.name ?? ""))
      return "toolConfig.tools.1.member.toolSpec.name: failed to satisfy constraint";
    if (typeof toolSpec?.inputSchema?.json !== "object")
      return "toolConfig.tools.1.member.toolSpec.inputSchema: must not be null";
  }
  return unknownKey(body, topKeys, "");
}

function findMessageFlaw(messages: readonly { role: string; content: readonly Block[] }[]): string | undefined {
  let awaited = new Set<string>();
  const used = new Set<string>();
  for (const [index, { role, content }] of messages.entries()) {
    const where = `messages.${index}.content`;
    if (role !== (index % 2 === 0 ? "user" : "assistant"))
      return "A conversation must alternate between user and assistant roles.";
    if (content.length === 0) return `${where}: The content field is empty.`;
    const flaw = content.map((block) => findBlockFlaw(block)).find((found) => found !== undefined);
    if (flaw !== undefined) return `${where}: ${flaw}`;
    for (const { toolResult } of content)
      if (toolResult !== undefined && !awaited.delete(toolResult.toolUseId))
        return `${where}: unexpected toolResult ${toolResult.toolUseId}`;
    if (awaited.size > 0) return `Expected toolResult blocks at ${where} for the following Ids: ${[...awaited]}`;
    awaited = new Set(content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []));
    if ([...awaited].some((id) => used.has(id))) return `${where}: tool_use ids must be unique`;
    for (const id of awaited) used.add(id);
  }
  return awaited.size > 0 ? "Expected toolResult blocks after toolUse" : undefined;
}

function findBlockFlaw(block: Block): string | undefined {
  if (block.text !== undefined && block.text.trim() === "")
    return "The text field in the ContentBlock object is blank.";
  const id = block.toolUse?.toolUseId ?? block.toolResult?.toolUseId;
  if (id !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return "toolUseId: failed to satisfy constraint";
  const input = block.toolUse?.input;
  if (block.toolUse !== undefined && (typeof input !== "object" || input === null || Array.isArray(input)))
    return "The format of the value at toolUse.input is invalid. Provide a json object for the field.";
  const thought = block.reasoningContent?.reasoningText;
  if (thought !== undefined && !/^proof/.test(thought.signature ?? ""))
    return "reasoningText.signature: Invalid signature";
  return unknownKey(block, blockKeys, "");
}

const errors: Readonly<Record<Trouble, readonly [status: number, type: string, message: string]>> = {
  rate_limit: [429, "ThrottlingException", "Too many requests, please wait before trying again."],
  quota: [400, "ServiceQuotaExceededException", "Your account has reached its service quota."],
  auth: [403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid."],
  overloaded: [503, "ServiceUnavailableException", "Bedrock is unable to process your request."],
  context: [400, "ValidationException", "Input is too long for requested model."],
  server: [500, "InternalServerException", "The system encountered an unexpected error during processing."],
  picture: [400, "ValidationException", "The model returned the following errors: Could not process image"],
  not_found: [404, "ResourceNotFoundException", "Could not resolve the foundation model from the model identifier."],
};

/** The kind stands in a header. */
function refuse(why: Trouble | { readonly flaw: string }, seconds?: number): Refusal {
  const [status, type, message] =
    typeof why === "object" ? ([400, "ValidationException", why.flaw] as const) : errors[why];
  const headers = { ...retryAfter(seconds), "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` };
  return { status, body: { message }, headers };
}

const stopReasons: Readonly<Record<WireStop, string>> = {
  end: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "content_filtered",
};

class BedrockSpeaker implements Speaker {
  readonly #calls = new Map<number, number>();
  #text: number | undefined;
  #blocks = 0;

  begin() {
    return [event("messageStart", { role: "assistant" })];
  }

  say(step: AnswerStep): readonly Buffer[] {
    const closing = step.kind === "text" ? [] : this.#closeText();
    switch (step.kind) {
      case "text":
        this.#text ??= this.#next();
        return [delta(this.#text, { text: step.text })];
      case "thought": {
        const index = this.#next();
        return [
          ...closing,
          delta(index, { reasoningContent: { text: step.text } }),
          delta(index, { reasoningContent: { signature: step.proof } }),
          stop(index),
        ];
      }
      case "call": {
        const contentBlockIndex = this.#next();
        this.#calls.set(step.call, contentBlockIndex);
        const toolUse = { toolUseId: step.id, name: step.name };
        return [...closing, event("contentBlockStart", { contentBlockIndex, start: { toolUse } })];
      }
      case "arguments":
        return [delta(this.#calls.get(step.call) ?? 0, { toolUse: { input: step.piece } })];
      case "unknown":
        return [event("surprise", { a: 1 })];
      default:
        return closing;
    }
  }

  end(why: WireStop, usage: WireUsage) {
    return [
      ...this.#closeText(),
      ...[...this.#calls.values()].map(stop),
      event("messageStop", { stopReason: stopReasons[why] }),
      event("metadata", {
        usage: {
          inputTokens: usage.input - usage.cached - (usage.written ?? 0),
          cacheWriteInputTokens: usage.written ?? 0,
          cacheReadInputTokens: usage.cached,
          outputTokens: usage.output,
          totalTokens: usage.input + usage.output,
        },
        metrics: { latencyMs: 1 },
      }),
    ];
  }

  /** Only some kinds can come in the middle. */
  fail(why: Trouble) {
    const [, type, message] = why === "quota" ? errors.rate_limit : errors[why];
    const name = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
    const headers = { ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" };
    return [eventStreamFrame(headers, { message })];
  }

  #next(): number {
    this.#blocks += 1;
    return this.#blocks - 1;
  }

  #closeText() {
    const index = this.#text;
    this.#text = undefined;
    return index === undefined ? [] : [stop(index)];
  }
}

/** `p` is padding of random length against eavesdroppers. */
function event(type: string, data: object): Buffer {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return eventStreamFrame(headers, { ...data, p: "abcdef" });
}

function delta(contentBlockIndex: number, piece: object): Buffer {
  return event("contentBlockDelta", { contentBlockIndex, delta: piece });
}

function stop(contentBlockIndex: number): Buffer {
  return event("contentBlockStop", { contentBlockIndex });
}
