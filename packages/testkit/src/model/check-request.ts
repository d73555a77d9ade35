import type { WireMessage, WirePart } from "./model-request.ts";
import type { ModelErrorBody } from "./script.ts";

const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
const knownArguments = new Set(
  `audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
  modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options
  temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`.split(/\s+/),
);

/**
 * Finds what a strict server refuses with 400: unknown arguments, no messages, a tool call without its result,
 * a result without its call, a name no tool may have. Undefined if all is well.
 */
export function findFlaw(body: Record<string, unknown>): ModelErrorBody | undefined {
  const unknown = Object.keys(body).find((key) => !knownArguments.has(key));
  if (unknown !== undefined) return invalid(`Unrecognized request argument supplied: ${unknown}`, null);
  if (typeof body.model !== "string" || body.model === "")
    return invalid("you must provide a model parameter", "model");
  if (body.stream_options !== undefined && body.stream !== true) {
    return invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return invalid("Invalid 'messages': empty array. Expected an array with minimum length 1.", "messages");
  }
  return findMessageFlaw(body.messages as WireMessage[]) ?? findToolFlaw(body.tools);
}

function findMessageFlaw(messages: readonly WireMessage[]): ModelErrorBody | undefined {
  let awaited = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const param = `messages.[${index}]`;
    if (!roles.has(message.role)) return invalid(`Invalid value: '${message.role}'.`, `${param}.role`);
    if (message.role === "tool") {
      if (!awaited.delete(message.tool_call_id ?? "")) {
        return invalid(
          "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
          `${param}.role`,
        );
      }
      continue;
    }
    if (awaited.size > 0) return unanswered(awaited, param);
    awaited = new Set(message.tool_calls?.map((call) => call.id));
    const flaw = findContentFlaw(message, param);
    if (flaw) return flaw;
  }
  return awaited.size > 0 ? unanswered(awaited, `messages.[${messages.length}]`) : undefined;
}

function findContentFlaw(message: WireMessage, param: string): ModelErrorBody | undefined {
  const { content, tool_calls: calls } = message;
  if (calls !== undefined && calls.length === 0)
    return invalid(`Invalid '${param}.tool_calls': empty array.`, `${param}.tool_calls`);
  if (calls?.some((call) => typeof call.function?.arguments !== "string")) {
    return invalid("Invalid type for arguments: expected a string.", `${param}.tool_calls[0].function.arguments`);
  }
  const mayBeEmpty = message.role === "assistant" && calls !== undefined;
  if ((content === undefined || content === null) && !mayBeEmpty) {
    return invalid("Invalid value for 'content': expected a string, got null.", `${param}.content`);
  }
  return Array.isArray(content) ? findPartFlaw(message.role, content, param) : undefined;
}

const partTypes: Readonly<Record<string, readonly string[]>> = { user: ["text", "image_url", "input_audio", "file"] };
const imageUrl =
  /^(https?:\/\/\S+|data:image\/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

function findPartFlaw(role: string, parts: readonly WirePart[], param: string): ModelErrorBody | undefined {
  if (parts.length === 0) return invalid(`Invalid '${param}.content': empty array.`, `${param}.content`);
  const allowed = partTypes[role] ?? ["text"];
  for (const [index, part] of parts.entries()) {
    const place = `${param}.content.[${index}]`;
    if (!allowed.includes(part.type)) return invalid(`Invalid value: '${part.type}'.`, `${place}.type`);
    if (part.type === "text" && typeof part.text !== "string") return invalid("Missing required parameter.", place);
    if (part.type === "image_url" && !imageUrl.test(String(part.image_url?.url)))
      return invalid("You uploaded an unsupported image. Please make sure your image is valid.", place);
  }
  return undefined;
}

function findToolFlaw(tools: unknown): ModelErrorBody | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return invalid("Invalid 'tools': empty array.", "tools");
  for (const [index, tool] of (tools as { type?: unknown; function?: { name?: unknown } }[]).entries()) {
    const name = tool.function?.name;
    if (tool.type !== "function" || typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      return invalid(
        `Invalid 'tools[${index}].function.name': string does not match pattern.`,
        `tools[${index}].function.name`,
      );
    }
  }
  return undefined;
}

function unanswered(ids: ReadonlySet<string>, param: string): ModelErrorBody {
  const rule =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  return invalid(
    `${rule} The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
    `${param}.role`,
  );
}

function invalid(message: string, param: string | null): ModelErrorBody {
  return { message, type: "invalid_request_error", param, code: null };
}
