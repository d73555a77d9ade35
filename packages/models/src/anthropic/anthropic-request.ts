import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelMessage, ModelRequest, ToolSpec } from "@talaria/agent";
import { partsOf, type ReplayedPart } from "../dialect/answer-parts.ts";
import type { CacheSpan } from "../dialect/cache-span.ts";
import { plainId, withWireIds } from "../dialect/call-ids.ts";
import { budgetOf, budgetWithin, effortOf } from "../dialect/effort.ts";
import { type RequestImages, withImages } from "../dialect/request-images.ts";
import { argumentsObject, wireName } from "../dialect/wire-text.ts";
import { familyOf } from "../families.ts";
import type { AnthropicConfig } from "../model-config.ts";
import { anthropicDialect } from "./anthropic-event.ts";

type WireRequest = Anthropic.MessageCreateParamsStreaming;

interface Message {
  readonly role: "user" | "assistant";
  readonly content: Anthropic.ContentBlockParam[];
}

/** The API requires a limit. Thoughts count towards it. */
export const defaultMaxTokens = 16_384;

/**
 * The body of one request. Two places are marked for the cache: the end of the system prompt, and by the server itself the
 * last block, so that no byte of an earlier message changes. Neighbouring messages of one role become one.
 */
export function toAnthropicRequest(
  request: ModelRequest,
  config: AnthropicConfig,
  images: RequestImages,
  span: CacheSpan = "5m",
): WireRequest {
  const effort = effortOf(config);
  const cached: Anthropic.CacheControlEphemeral = { type: "ephemeral", ...(span === "1h" && { ttl: span }) };
  const messages = merged(
    withWireIds(request.messages, plainId).map((message) => toMessage(message, config.model, images)),
  );
  return {
    model: config.model,
    ...limitsOf(request, config, messages),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(toWireTool),
      ...(request.toolChoice && { tool_choice: { type: request.toolChoice } }),
    }),
    ...(request.system !== "" && { system: [{ type: "text", text: request.system, cache_control: cached }] }),
    messages,
    cache_control: cached,
    ...(effort !== undefined && { output_config: { effort } }),
    stream: true,
  };
}

/** How much may be written, and how much of it may be thoughts. Without a limit of ours, a budget comes on top of the answer. */
function limitsOf(
  { maxOutputTokens }: ModelRequest,
  config: AnthropicConfig,
  messages: readonly Message[],
): Pick<WireRequest, "max_tokens" | "thinking"> {
  const limit = maxOutputTokens ?? config.maxOutputTokens;
  if (config.effort !== undefined && familyOf(config.model)?.switch === "adaptive")
    return { max_tokens: limit ?? defaultMaxTokens, thinking: { type: "adaptive", display: "summarized" } };
  const wanted = mayBegin(messages) ? budgetOf(config) : undefined;
  const budget = wanted === undefined || limit === undefined ? wanted : budgetWithin(wanted, limit);
  if (budget === undefined) return { max_tokens: limit ?? defaultMaxTokens };
  const thinking = { type: "enabled", budget_tokens: budget } as const;
  return { max_tokens: limit ?? defaultMaxTokens + budget, thinking };
}

/** With a budget, the answer whose calls were just made has to begin with a thought; that of another model has none. */
function mayBegin(messages: readonly Message[]): boolean {
  if (!messages.at(-1)?.content.some(({ type }) => type === "tool_result")) return true;
  const asked = messages.findLast(({ role }) => role === "assistant")?.content[0]?.type;
  return asked === "thinking" || asked === "redacted_thinking";
}

function toWireTool({ name, description, parameters }: ToolSpec): Anthropic.Tool {
  return { name, description, input_schema: { ...parameters, type: "object" } };
}

/** Roles take turns; a message without anything in it is refused. */
function merged(messages: readonly Message[]): Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    if (message.content.length === 0) continue;
    const last = result.at(-1);
    if (last?.role === message.role) last.content.push(...message.content);
    else result.push({ role: message.role, content: [...message.content] });
  }
  return result;
}

function toMessage(message: ModelMessage, model: string, images: RequestImages): Message {
  switch (message.role) {
    case "user": {
      const { text, shown } = withImages(message, images);
      const pictures = shown.map(({ mimeType, base64 }) => ({
        type: "image" as const,
        source: { type: "base64" as const, media_type: mimeType as "image/png", data: base64 },
      }));
      return { role: "user", content: [...toText(text), ...pictures] };
    }
    case "tool": {
      const { callId, content, isError } = message;
      const result = { type: "tool_result" as const, tool_use_id: callId, content };
      return { role: "user", content: [isError ? { ...result, is_error: true } : result] };
    }
    case "assistant":
      return { role: "assistant", content: partsOf(message, { dialect: anthropicDialect, model }).flatMap(toBlocks) };
    default:
      return message satisfies never;
  }
}

/** A block of nothing but white space is refused. */
function toText(text: string): Anthropic.TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toBlocks(part: ReplayedPart): Anthropic.ContentBlockParam[] {
  switch (part.kind) {
    case "text":
      return toText(part.text);
    case "call": {
      const { callId, name, arguments: text } = part.call;
      return [{ type: "tool_use", id: callId, name: wireName(name), input: argumentsObject(text) }];
    }
    case "opaque":
      return [part.data as Anthropic.ThinkingBlockParam];
    default:
      return part satisfies never;
  }
}
