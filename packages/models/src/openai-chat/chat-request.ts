import type { AssistantMessage, ModelMessage, ModelRequest, ToolSpec, UserMessage } from "@talaria/agent";
import type { OpenAI } from "openai";
import { isOpenAi } from "../connect.ts";
import { cacheKeyOf } from "../dialect/cache-key.ts";
import type { CacheSpan } from "../dialect/cache-span.ts";
import { chatId, kimiId, withWireIds } from "../dialect/call-ids.ts";
import { chatEffort } from "../dialect/effort.ts";
import { dataUrl, type RequestImages, withImages } from "../dialect/request-images.ts";
import { argumentsText, wireName } from "../dialect/wire-text.ts";
import { serviceOf } from "../families.ts";
import type { ChatCompat, OpenAiChatConfig } from "../model-config.ts";
import { withCacheMarks } from "./cache-marks.ts";
import { type ChatState, chatDialect } from "./chat-chunk.ts";
import { type ChatHabits, habitsOf } from "./chat-habits.ts";

type WireRequest = OpenAI.ChatCompletionCreateParamsStreaming;
type WireMessage = OpenAI.ChatCompletionMessageParam;

/** The body of one request. The same request gives the same bytes; nothing of ours that servers don't know is in it. */
export function toChatRequest(
  request: ModelRequest,
  config: OpenAiChatConfig,
  images: RequestImages,
  { habits = habitsOf(config), span = "5m" }: { readonly habits?: ChatHabits; readonly span?: CacheSpan } = {},
): WireRequest {
  const compat = compatOf(config);
  const limit = request.maxOutputTokens ?? config.maxOutputTokens;
  const body: WireRequest = {
    model: config.model,
    ...(request.tools.length > 0 && { tools: request.tools.map(toWireTool) }),
    messages: [
      { role: compat.developerRole ? "developer" : "system", content: request.system },
      ...withWireIds(request.messages, /kimi/i.test(config.model) ? kimiId : chatId).map((message) =>
        toWireMessage(message, { model: config.model, images, habits }),
      ),
    ],
    ...(request.tools.length > 0 &&
      request.toolChoice &&
      habits.takesToolChoice && { tool_choice: request.toolChoice }),
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

/** What messages are written with. */
interface Writing {
  readonly model: string;
  readonly images: RequestImages;
  readonly habits: ChatHabits;
}

function toWireMessage(message: ModelMessage, writing: Writing): WireMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: toWireContent(message, writing.images) };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.content };
    case "assistant":
      return toWireAnswer(message, writing);
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

function toWireAnswer(
  { content: said, toolCalls, providerState }: AssistantMessage,
  { model, habits }: Writing,
): WireMessage {
  const isOurs = providerState?.dialect === chatDialect && providerState.model === model;
  const state = isOurs ? (providerState.data as ChatState) : {};
  const content = (state.head ?? "") + said;
  if (toolCalls.length === 0) return { role: "assistant", content, ...thoughtsOf(state, habits) };
  return {
    role: "assistant",
    content: content === "" ? null : content,
    tool_calls: toolCalls.map(({ callId, name, arguments: text }, position) => ({
      id: callId,
      type: "function",
      function: { name: wireName(name), arguments: argumentsText(text) },
      ...extraOf(state.calls?.[position] ?? state.calls?.[callId]),
    })),
    ...thoughtsOf(state, habits),
  };
}

function extraOf(extra: unknown): object {
  return extra === undefined ? {} : { extra_content: extra };
}

/**
 * The thoughts of an answer, with all answers of the history, so that its beginning stays the same:
 *
 * - DeepSeek wants those of turns with calls in every later request and passes over the others:
 *   https://api-docs.deepseek.com/guides/thinking_mode. Moonshot wants them with calls and passes over those of earlier turns
 *   (`thinking.keep`): https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model.
 * - Z.ai wants them complete and unchanged: https://docs.z.ai/guides/capabilities/thinking-mode. MiniMax wants
 *   `reasoning_details`, or the content with its tags: https://platform.minimax.io/docs/guides/text-m2-function-call. The templates
 *   of Qwen and DeepSeek-R1 drop those of earlier turns themselves.
 * - OpenRouter takes `reasoning_details` or `reasoning`: what the one holds is not said again by the other.
 */
function thoughtsOf({ thought, reasoningDetails, opaque }: ChatState, { thoughts }: ChatHabits): object {
  if (thoughts === "never") return {};
  const isTold = reasoningDetails !== undefined && thought?.field === "reasoning";
  const wanted = thoughts === "always" ? { reasoning_content: thought?.text ?? "" } : {};
  return {
    ...(thought !== undefined && !isTold && { [thought.field]: thought.text }),
    ...wanted,
    ...(reasoningDetails !== undefined && { reasoning_details: reasoningDetails }),
    ...(opaque !== undefined && { reasoning_opaque: opaque }),
  };
}
