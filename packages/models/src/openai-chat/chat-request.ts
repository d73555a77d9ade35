import type { AssistantMessage, ModelMessage, ModelRequest, ToolSpec, UserMessage } from "@talaria/agent";
import type { MediaRef } from "@talaria/protocol";
import type { OpenAI } from "openai";
import type { ChatCompat, OpenAiChatConfig } from "../model-config.ts";
import { type ChatState, chatDialect } from "./chat-chunk.ts";

type WireRequest = OpenAI.ChatCompletionCreateParamsStreaming;
type WireMessage = OpenAI.ChatCompletionMessageParam;

const openAiHost = "api.openai.com";
const longestName = 64;

/** The pictures of a request as data URLs, or the reason why this model is shown none. */
export type RequestImages = ReadonlyMap<MediaRef, string> | "not taken";

const notTakenNote = "<note>You cannot see pictures: this model takes none.</note>";

/** The body of one request. The same request gives the same bytes; nothing of ours that servers don't know is in it. */
export function toChatRequest(request: ModelRequest, config: OpenAiChatConfig, images: RequestImages): WireRequest {
  const compat = compatOf(config);
  const limit = request.maxOutputTokens ?? config.maxOutputTokens;
  return {
    model: config.model,
    ...(request.tools.length > 0 && { tools: request.tools.map(toWireTool) }),
    messages: [
      { role: compat.developerRole ? "developer" : "system", content: request.system },
      ...request.messages.map((message) => toWireMessage(message, config.model, images)),
    ],
    stream: true,
    ...(compat.usageInStream && { stream_options: { include_usage: true } }),
    ...(limit !== undefined && { [compat.maxTokensField]: limit }),
    ...(compat.promptCacheKey && { prompt_cache_key: request.cacheKey }),
  };
}

/** OpenAI's own server knows its newest fields; the others keep to the old ones. */
function compatOf({ baseUrl, compat }: OpenAiChatConfig): ChatCompat {
  const isOpenAi = baseUrl === undefined || new URL(baseUrl).hostname === openAiHost;
  return {
    maxTokensField: isOpenAi ? "max_completion_tokens" : "max_tokens",
    usageInStream: true,
    developerRole: isOpenAi,
    promptCacheKey: isOpenAi,
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
function toWireContent({ content, images: named = [] }: UserMessage, images: RequestImages) {
  if (named.length === 0) return content;
  if (images === "not taken") return `${content}\n\n${notTakenNote}`;
  const parts = named.flatMap(({ ref }): OpenAI.ChatCompletionContentPart[] => {
    const url = images.get(ref);
    return url === undefined ? [] : [{ type: "image_url", image_url: { url } }];
  });
  return parts.length === 0 ? content : [{ type: "text" as const, text: content }, ...parts];
}

function toWireAnswer({ content, toolCalls, providerState }: AssistantMessage, model: string): WireMessage {
  const isOurs = providerState?.dialect === chatDialect && providerState.model === model;
  const state = isOurs ? (providerState.data as ChatState) : {};
  if (toolCalls.length === 0) return { role: "assistant", content, ...reasoningOf(state) };
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: toolCalls.map(({ callId, name, arguments: text }) => ({
      id: callId,
      type: "function",
      function: { name: wireName(name), arguments: wireArguments(text) },
      ...(state.calls?.[callId] !== undefined && { extra_content: state.calls[callId] }),
    })),
    ...reasoningOf(state),
  };
}

function reasoningOf({ reasoningDetails }: ChatState): object {
  return reasoningDetails === undefined ? {} : { reasoning_details: reasoningDetails };
}

/** A name that no tool may have, once in the history, would make a strict server refuse every further request. */
function wireName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longestName) || "unnamed";
}

/** Many servers parse the arguments of old calls again and fail on broken ones. */
function wireArguments(text: string): string {
  return isJsonObject(text) ? text : JSON.stringify({ invalid_json: text });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value);
  } catch {
    return false;
  }
}
