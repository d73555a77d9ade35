import type { AssistantMessage, ModelMessage, ModelRequest, ToolSpec, UserMessage } from "@talaria/agent";
import type { OpenAI } from "openai";
import { isOpenAi } from "../connect.ts";
import { cacheKeyOf } from "../dialect/cache-key.ts";
import type { CacheSpan } from "../dialect/cache-span.ts";
import { chatEffort } from "../dialect/effort.ts";
import { dataUrl, type RequestImages, withImages } from "../dialect/request-images.ts";
import { argumentsText, wireName } from "../dialect/wire-text.ts";
import { serviceOf } from "../families.ts";
import type { ChatCompat, OpenAiChatConfig } from "../model-config.ts";
import { withCacheMarks } from "./cache-marks.ts";
import { type ChatState, chatDialect } from "./chat-chunk.ts";

type WireRequest = OpenAI.ChatCompletionCreateParamsStreaming;
type WireMessage = OpenAI.ChatCompletionMessageParam;

/** The body of one request. The same request gives the same bytes; nothing of ours that servers don't know is in it. */
export function toChatRequest(
  request: ModelRequest,
  config: OpenAiChatConfig,
  images: RequestImages,
  span: CacheSpan = "5m",
): WireRequest {
  const compat = compatOf(config);
  const limit = request.maxOutputTokens ?? config.maxOutputTokens;
  const body: WireRequest = {
    model: config.model,
    ...(request.tools.length > 0 && { tools: request.tools.map(toWireTool) }),
    messages: [
      { role: compat.developerRole ? "developer" : "system", content: request.system },
      ...request.messages.map((message) => toWireMessage(message, config.model, images)),
    ],
    stream: true,
    ...(compat.usageInStream && { stream_options: { include_usage: true } }),
    ...(limit !== undefined && { [compat.maxTokensField]: limit }),
    ...chatEffort(config),
    ...(compat.cacheKey !== "none" && { [compat.cacheKey]: cacheKeyOf(request.cacheKey) }),
  };
  return withCacheMarks(body, config, span);
}

/** OpenAI's own server knows its newest fields; the others keep to the old ones. */
function compatOf({ baseUrl, compat }: OpenAiChatConfig): ChatCompat {
  const isNewest = isOpenAi(baseUrl);
  return {
    maxTokensField: isNewest ? "max_completion_tokens" : "max_tokens",
    usageInStream: true,
    developerRole: isNewest,
    cacheKey: serviceOf(baseUrl).cacheKey ?? "none",
    ...compat,
  };
}

function toWireTool({ name, description, parameters }: ToolSpec): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, description, parameters } };
}

function toWireMessage(message: ModelMessage, model: string, images: RequestImages): WireMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: toWireContent(message, images) };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.content };
    case "assistant":
      return toWireAnswer(message, model);
    default:
      return message satisfies never;
  }
}

/** Plain text where nothing is shown: every server takes that. */
function toWireContent(message: UserMessage, images: RequestImages) {
  const { text, shown } = withImages(message, images);
  if (shown.length === 0) return text;
  return [
    { type: "text" as const, text },
    ...shown.map((image) => ({ type: "image_url" as const, image_url: { url: dataUrl(image) } })),
  ];
}

function toWireAnswer({ content, toolCalls, providerState }: AssistantMessage, model: string): WireMessage {
  const isOurs = providerState?.dialect === chatDialect && providerState.model === model;
  const state = isOurs ? (providerState.data as ChatState) : {};
  if (toolCalls.length === 0) return { role: "assistant", content, ...reasoningOf(state) };
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: toolCalls.map(({ callId, name, arguments: text }, position) => ({
      id: callId,
      type: "function",
      function: { name: wireName(name), arguments: argumentsText(text) },
      ...extraOf(state.calls?.[position] ?? state.calls?.[callId]),
    })),
    ...reasoningOf(state),
  };
}

function extraOf(extra: unknown): object {
  return extra === undefined ? {} : { extra_content: extra };
}

function reasoningOf({ reasoningDetails }: ChatState): object {
  return reasoningDetails === undefined ? {} : { reasoning_details: reasoningDetails };
}
