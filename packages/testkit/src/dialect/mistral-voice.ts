import { chatSpeaker, toUsage } from "./chat-voice.ts";
import {
  type DialectRequest,
  listOf,
  type Refusal,
  retryAfter,
  type Speaker,
  sse,
  unknownKey,
  type Voice,
} from "./voice.ts";
import type { AnswerStep, Trouble, WireStop } from "./wire-answer.ts";

/**
 * Mistral's Chat Completions. Wire facts: `mistralChatChunkSchema` and `mistralErrorDataSchema` of @ai-sdk/mistral 4.0.87;
 * the order of messages, the ids and the refusals as the server words them (`invalid_request_message_order`,
 * `invalid_function_call`).
 */
export const mistralVoice: Voice = {
  contentType: "text/event-stream; charset=utf-8",
  path: /\/v1\/chat\/completions$/,
  listing: { path: /^\/v1\/models$/, body: listOfModels },
  keyOf: ({ authorization }) => /^Bearer (.+)$/.exec(authorization ?? "")?.[1],
  findFlaw: ({ body }) => findRequestFlaw(body) ?? findMessageFlaw(listOf(body.messages)),
  refuse,
  speaker: toSpeaker,
};

/** Models that cannot chat are in the list too. */
function listOfModels(names: readonly string[]): object {
  const entry = (id: string, completion_chat: boolean) => ({ id, object: "model", capabilities: { completion_chat } });
  return { object: "list", data: [...names.map((id) => entry(id, true)), entry("mistral-embed", false)] };
}

const topKeys = `model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools tool_choice
  presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort safe_prompt guardrails
  document_image_limit document_page_limit prompt_cache_key`;
const messageKeys: Readonly<Record<string, string>> = {
  system: "role content",
  user: "role content",
  assistant: "role content tool_calls prefix",
  tool: "role content tool_call_id name",
};
/** Which role may follow which. */
const followers: Readonly<Record<string, readonly string[]>> = {
  system: ["system", "user", "assistant"],
  user: ["user", "assistant"],
  assistant: ["user", "assistant"],
  tool: ["tool", "assistant"],
};

interface MistralMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: unknown } }[];
}

function findRequestFlaw(body: DialectRequest["body"]): string | undefined {
  if (typeof body.model !== "string") return "model: Field required";
  if (body.stream !== true) return "this server only streams";
  if (listOf(body.messages).length === 0) return "messages: List should have at least 1 item";
  for (const tool of listOf<{ type?: unknown; function?: { name?: unknown; parameters?: unknown } }>(body.tools)) {
    if (tool.type !== "function" || !/^[A-Za-z0-9_-]{1,64}$/.test(String(tool.function?.name)))
      return "Function name must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.";
    if (typeof tool.function?.parameters !== "object") return "tools.0.function.parameters: Field required";
  }
  return unknownKey(body, topKeys, "");
}

function findMessageFlaw(messages: readonly MistralMessage[]): string | undefined {
  let awaited = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const { role } = message;
    const before = messages[index - 1]?.role;
    if (before !== undefined && role !== "tool" && !followers[before]?.includes(role))
      return `Unexpected role '${role}' after role '${before}'`;
    const flaw = unknownKey(message, messageKeys[role] ?? "", `messages.${index}.`) ?? findIdFlaw(message);
    if (flaw !== undefined) return flaw;
    if (role === "tool" && !awaited.delete(message.tool_call_id ?? ""))
      return `Unexpected tool call id ${message.tool_call_id} in tool results`;
    if (role === "tool") continue;
    if (awaited.size > 0) return "Not the same number of function calls and responses";
    awaited = new Set(message.tool_calls?.map(({ id }) => id));
    if (role === "assistant" && awaited.size === 0 && !message.content)
      return "Assistant message must have either content or tool_calls";
  }
  const last = messages.at(-1)?.role;
  return last === "user" || last === "tool"
    ? undefined
    : `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`;
}

function findIdFlaw({ tool_call_id, tool_calls = [] }: MistralMessage): string | undefined {
  const ids = [...(tool_call_id === undefined ? [] : [tool_call_id]), ...tool_calls.map(({ id }) => id)];
  const wrong = ids.find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
  if (wrong !== undefined) return `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`;
  return tool_calls.some((call) => typeof call.function.arguments !== "string")
    ? "arguments: Input should be a valid string"
    : undefined;
}

const errors: Readonly<Record<Trouble, readonly [status: number, type: string, message: string]>> = {
  rate_limit: [429, "rate_limited", "Requests rate limit exceeded"],
  quota: [402, "payment_required", "You have no credits left."],
  auth: [401, "invalid_request_error", "Unauthorized"],
  overloaded: [503, "service_unavailable", "Service unavailable."],
  context: [
    400,
    "invalid_request_prompt",
    "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
  ],
  server: [500, "internal_server_error", "Internal server error"],
  picture: [400, "invalid_request_file", "Image could not be loaded"],
  not_found: [404, "invalid_model", "Invalid model: nobody"],
};

function refuse(why: Trouble | { readonly flaw: string }, seconds?: number): Refusal {
  const [status, type, message] =
    typeof why === "object" ? ([422, "invalid_request_error", why.flaw] as const) : errors[why];
  return { status, body: { object: "error", message, type, param: null, code: null }, headers: retryAfter(seconds) };
}

const finishReasons: Readonly<Record<WireStop, string>> = {
  end: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "error",
};

/** A call comes whole, in one chunk, or in pieces with the same index; usage comes with the finish reason. */
function toSpeaker(request: DialectRequest, quirks: { readonly noIndex?: boolean }): Speaker {
  const chat = chatSpeaker(request, quirks);
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    sse({
      id: "cmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: request.body.model,
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    });
  return {
    ...chat,
    say: (step: AnswerStep) => {
      if (step.kind === "thought")
        return [chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: step.text }] }] })];
      if (step.kind === "unknown") return [chunk({ content: "", surprise: 1 }, null, { surprise: { a: 1 } })];
      return chat.say(step);
    },
    end: (stop, usage) => [chunk({ content: "" }, finishReasons[stop], { usage: toUsage(usage) }), "data: [DONE]\n\n"],
    fail: (why) => [sse(refuse(why).body as object)],
  };
}
