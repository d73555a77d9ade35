import { createHash } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { AssistantMessage, ModelMessage, ModelRequest, ToolSpec } from "@talaria/agent";
import { partsOf, type ReplayedPart } from "../dialect/answer-parts.ts";
import { cacheKeyOf } from "../dialect/cache-key.ts";
import { plainId, withWireIds } from "../dialect/call-ids.ts";
import { effortOf } from "../dialect/effort.ts";
import { type RequestImages, withImages } from "../dialect/request-images.ts";
import { argumentsObject, wireName } from "../dialect/wire-text.ts";
import type { AiSdkConfig } from "../model-config.ts";
import type { KeptThought } from "./ai-sdk-assembler.ts";

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type ToolResult = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number];

/** Mistral takes no words of a user right after a result. */
const between: LanguageModelV4Message = { role: "assistant", content: [{ type: "text", text: "I see." }] };

/** One request in the AI SDK's terms. The same request gives the same bytes. */
export function toCallOptions(
  request: ModelRequest,
  config: AiSdkConfig,
  images: RequestImages,
): LanguageModelV4CallOptions {
  const limit = request.maxOutputTokens ?? config.maxOutputTokens;
  const effort = effortOf(config);
  const toWireId = config.provider === "mistral" ? mistralId : plainId;
  const system: LanguageModelV4Message = { role: "system", content: request.system };
  return {
    prompt: withCachePoints([system, ...toPrompt(withWireIds(request.messages, toWireId), config, images)], config),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool), toolChoice: toolChoiceOf(request, config) }),
    ...(limit !== undefined && { maxOutputTokens: limit }),
    ...(effort !== undefined && { reasoning: effort }),
    ...(config.provider === "mistral" && {
      providerOptions: { mistral: { promptCacheKey: cacheKeyOf(request.cacheKey) } },
    }),
  };
}

/** Converse has no word for it, and the package would leave the tools out, which a history with calls needs. */
function toolChoiceOf({ toolChoice }: ModelRequest, { provider }: AiSdkConfig) {
  return { type: toolChoice !== undefined && provider !== "bedrock" ? toolChoice : "auto" } as const;
}

/** Bedrock caches up to marks, for those of its models that cache at all. The others' providers find prefixes themselves. */
const cachesUpToMarks = /claude-(3-7|(opus|sonnet|haiku|fable|mythos)-[4-9])|amazon\.nova/;

/** One mark ends the system prompt, one the conversation. */
function withCachePoints(prompt: LanguageModelV4Message[], { provider, model }: AiSdkConfig): LanguageModelV4Message[] {
  if (provider !== "bedrock" || !cachesUpToMarks.test(model)) return prompt;
  const providerOptions = { amazonBedrock: { cachePoint: { type: "default" } } };
  const marked = new Set([0, prompt.length - 1]);
  return prompt.map((message, index) => (marked.has(index) ? { ...message, providerOptions } : message));
}

function toTool({ name, description, parameters }: ToolSpec) {
  return { type: "function" as const, name, description, inputSchema: { ...parameters } };
}

function toPrompt(
  messages: readonly ModelMessage[],
  config: AiSdkConfig,
  images: RequestImages,
): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = prompt.at(-1);
    if (message.role === "user") {
      if (last?.role === "tool" && config.provider === "mistral") prompt.push(between);
      const { text, shown } = withImages(message, images);
      const pictures = shown.map(({ mimeType, base64 }) => ({
        type: "file" as const,
        mediaType: mimeType,
        data: { type: "data" as const, data: base64 },
      }));
      prompt.push({ role: "user", content: [{ type: "text", text }, ...pictures] });
    } else if (message.role === "tool") {
      const result = toResult(message);
      if (last?.role === "tool") last.content.push(result);
      else prompt.push({ role: "tool", content: [result] });
    } else {
      const content = toAnswer(message, config);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    }
  }
  return prompt;
}

function toResult({ callId, name, content, isError }: Extract<ModelMessage, { role: "tool" }>): ToolResult {
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: wireName(name),
    output: { type: isError ? "error-text" : "text", value: content },
  };
}

function toAnswer(message: AssistantMessage, config: AiSdkConfig): AssistantPart[] {
  const { provider, model } = config;
  return partsOf(message, { dialect: provider, model }).map(toPart);
}

function toPart(part: ReplayedPart): AssistantPart {
  const kept = (metadata: unknown) =>
    metadata === undefined ? {} : { providerOptions: metadata as Record<string, Record<string, never>> };
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text, ...kept(part.data) };
    case "call": {
      const { callId, name, arguments: text } = part.call;
      return {
        type: "tool-call",
        toolCallId: callId,
        toolName: wireName(name),
        input: argumentsObject(text),
        ...kept(part.data),
      };
    }
    case "opaque": {
      const { text, metadata } = part.data as KeptThought;
      return { type: "reasoning", text, ...kept(metadata) };
    }
    default:
      return part satisfies never;
  }
}

/** Mistral takes ids of nine letters and digits alone. Others get one made from theirs. */
function mistralId(callId: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(callId)) return callId;
  return createHash("sha256").update(callId).digest("hex").slice(0, 9);
}
