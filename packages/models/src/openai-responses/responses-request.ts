import type { ModelMessage, ModelRequest, ToolSpec } from "@talaria/agent";
import type { OpenAI } from "openai";
import { isOpenAi } from "../connect.ts";
import { partsOf, type ReplayedPart } from "../dialect/answer-parts.ts";
import { cacheKeyOf } from "../dialect/cache-key.ts";
import { plainId, withWireIds } from "../dialect/call-ids.ts";
import { effortOf } from "../dialect/effort.ts";
import { dataUrl, type RequestImages, withImages } from "../dialect/request-images.ts";
import { argumentsText, wireName } from "../dialect/wire-text.ts";
import { familyOf } from "../families.ts";
import type { OpenAiResponsesConfig } from "../model-config.ts";
import { responsesDialect } from "./responses-event.ts";

type WireRequest = OpenAI.Responses.ResponseCreateParamsStreaming;
type InputItem = OpenAI.Responses.ResponseInputItem;

/**
 * The body of one request. The transcript is ours: nothing is stored at the provider and no earlier response is named, so
 * any worker can go on with a session, and with another model. Models that reason, as far as their family is known, are asked for
 * a summary of it: without one they are silent until they have done thinking.
 */
export function toResponsesRequest(
  request: ModelRequest,
  config: OpenAiResponsesConfig,
  images: RequestImages,
  { summary = true }: { readonly summary?: boolean } = {},
): WireRequest {
  const limit = request.maxOutputTokens ?? config.maxOutputTokens;
  const effort = effortOf(config);
  const wantsSummary = summary && effortOf({ ...config, effort: "low" }) !== undefined;
  return {
    model: config.model,
    instructions: request.system,
    ...(request.tools.length > 0 && {
      tools: request.tools.map(toWireTool),
      ...(request.toolChoice && { tool_choice: request.toolChoice }),
    }),
    input: withWireIds(request.messages, plainId).flatMap((message) => toInput(message, config.model, images)),
    stream: true,
    store: false,
    // Models that do not reason refuse the wish to see their thoughts.
    ...(!familyOf(config.model)?.never && { include: ["reasoning.encrypted_content"] }),
    ...((effort !== undefined || wantsSummary) && {
      reasoning: { ...(effort !== undefined && { effort }), ...(wantsSummary && { summary: "auto" }) },
    }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(isOpenAi(config.baseUrl) && { prompt_cache_key: cacheKeyOf(request.cacheKey) }),
  };
}

function toWireTool({ name, description, parameters }: ToolSpec): OpenAI.Responses.FunctionTool {
  return { type: "function", name, description, parameters, strict: false };
}

function toInput(message: ModelMessage, model: string, images: RequestImages): InputItem[] {
  switch (message.role) {
    case "user": {
      const { text, shown } = withImages(message, images);
      if (shown.length === 0) return [{ role: "user", content: text }];
      const pictures = shown.map((image) => ({
        type: "input_image" as const,
        detail: "auto" as const,
        image_url: dataUrl(image),
      }));
      return [{ role: "user", content: [{ type: "input_text", text }, ...pictures] }];
    }
    case "tool":
      return [{ type: "function_call_output", call_id: message.callId, output: message.content }];
    case "assistant":
      return partsOf(message, { dialect: responsesDialect, model }).map(toItem);
    default:
      return message satisfies never;
  }
}

/** Thoughts go back as they came; words and calls without the ids of items that nobody has stored. */
function toItem(part: ReplayedPart): InputItem {
  switch (part.kind) {
    case "text":
      return { role: "assistant", content: part.text, ...(part.data as object | undefined) };
    case "call": {
      const { callId, name, arguments: text } = part.call;
      return { type: "function_call", call_id: callId, name: wireName(name), arguments: argumentsText(text) };
    }
    case "opaque":
      return part.data as InputItem;
    default:
      return part satisfies never;
  }
}
