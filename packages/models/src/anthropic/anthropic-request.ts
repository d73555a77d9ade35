import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelMessage, ModelRequest, ToolSpec } from "@talaria/agent";
import { partsOf, type ReplayedPart } from "../dialect/answer-parts.ts";
import { plainId, withWireIds } from "../dialect/call-ids.ts";
import { effortOf } from "../dialect/effort.ts";
import { type RequestImages, withImages } from "../dialect/request-images.ts";
import { argumentsObject, wireName } from "../dialect/wire-text.ts";
import type { AnthropicConfig } from "../model-config.ts";
import { anthropicDialect } from "./anthropic-event.ts";

type WireRequest = Anthropic.MessageCreateParamsStreaming;

interface Message {
  readonly role: "user" | "assistant";
  readonly content: Anthropic.ContentBlockParam[];
}

/** The API requires a limit. Thoughts count towards it. */
export const defaultMaxTokens = 16_384;
const cached: Anthropic.CacheControlEphemeral = { type: "ephemeral" };

/** Opus 4.6 and later decide themselves how much to think, once they are asked to. The newest do so anyway. */
const thinksAdaptively =
  /claude-(opus|sonnet)-4-([6-9]|\d\d)(?!\d)|claude-(opus|sonnet|haiku|fable)-[5-9]|claude-mythos/;

/**
 * The body of one request. Two places are marked for the cache: the end of the system prompt, and by the server itself the
 * last block, so that no byte of an earlier message changes. Neighbouring messages of one role become one.
 */
export function toAnthropicRequest(request: ModelRequest, config: AnthropicConfig, images: RequestImages): WireRequest {
  const effort = effortOf(config);
  return {
    model: config.model,
    max_tokens: request.maxOutputTokens ?? config.maxOutputTokens ?? defaultMaxTokens,
    ...(request.tools.length > 0 && {
      tools: request.tools.map(toWireTool),
      ...(request.toolChoice && { tool_choice: { type: request.toolChoice } }),
    }),
    ...(request.system !== "" && { system: [{ type: "text", text: request.system, cache_control: cached }] }),
    messages: merged(withWireIds(request.messages, plainId).map((message) => toMessage(message, config.model, images))),
    cache_control: cached,
    ...(effort !== undefined && {
      output_config: { effort },
      ...(thinksAdaptively.test(config.model) && { thinking: { type: "adaptive", display: "summarized" } }),
    }),
    stream: true,
  };
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
