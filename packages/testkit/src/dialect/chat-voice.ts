import { findFlaw } from "../model/check-request.ts";
import { type DialectRequest, type Quirks, type Refusal, retryAfter, type Speaker, sse, type Voice } from "./voice.ts";
import type { AnswerStep, Trouble, WireStop, WireUsage } from "./wire-answer.ts";

/** Chat Completions. Wire facts: `resources/chat/completions` of openai 7.55.0. */
export const chatVoice: Voice = {
  contentType: "text/event-stream",
  path: /\/chat\/completions$/,
  listing: { path: /^\/v1\/models$/, body: listAsOpenAi },
  keyOf: ({ authorization }) => /^Bearer (.+)$/.exec(authorization ?? "")?.[1],
  findFlaw: ({ body }) => findFlaw({ ...body })?.message,
  refuse: refuseAsOpenAi,
  speaker: (request, quirks) => chatSpeaker(request, quirks),
};

/** `GET /v1/models` of OpenAI, and of those who do as it does. */
export function listAsOpenAi(names: readonly string[]): object {
  return { object: "list", data: names.map((id) => ({ id, object: "model", created: 1, owned_by: "testkit" })) };
}

/** Errors of OpenAI's APIs. */
export function refuseAsOpenAi(why: Trouble | { readonly flaw: string }, retryAfterSeconds?: number): Refusal {
  const refusal = (status: number, code: string | null, type: string, message: string): Refusal => ({
    status,
    body: { error: { message, type, param: null, code } },
    headers: retryAfter(retryAfterSeconds),
  });
  if (typeof why === "object") return refusal(400, null, "invalid_request_error", why.flaw);
  switch (why) {
    case "rate_limit":
      return refusal(429, "rate_limit_exceeded", "requests", "Rate limit reached for requests");
    case "quota":
      return refusal(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota.");
    case "auth":
      return refusal(401, "invalid_api_key", "invalid_request_error", "Incorrect API key provided.");
    case "overloaded":
      return refusal(503, null, "server_error", "The engine is currently overloaded, please try again later");
    case "context":
      return refusal(400, "context_length_exceeded", "invalid_request_error", "Your input exceeds the context window.");
    case "server":
      return refusal(500, null, "server_error", "The server had an error while processing your request.");
    case "picture":
      return refusal(400, "image_parse_error", "invalid_request_error", "The image data you provided is not valid.");
    case "not_found":
      return refusal(404, "model_not_found", "invalid_request_error", "The model does not exist.");
    default:
      return why satisfies never;
  }
}

const finishReasons: Readonly<Record<WireStop, string>> = {
  end: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
};

/** Also Mistral's, with its own words for an answer that was cut by length. */
export function chatSpeaker({ body }: DialectRequest, { noIndex, noIds }: Quirks, reasons = finishReasons): Speaker {
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    sse({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: body.model,
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    });
  return {
    begin: () => [chunk({ role: "assistant", content: "" })],
    say: (step: AnswerStep) => {
      switch (step.kind) {
        case "text":
          return [chunk({ content: step.text })];
        case "thought":
          return [
            chunk({ reasoning_content: step.text, reasoning_details: [{ type: "encrypted", data: step.proof }] }),
          ];
        case "call": {
          const named = { type: "function", function: { name: step.name, arguments: "" } };
          return [
            chunk({
              tool_calls: [{ ...(!noIndex && { index: step.call }), ...(!noIds && { id: step.id }), ...named }],
            }),
          ];
        }
        case "arguments":
          return [
            chunk({ tool_calls: [{ ...(!noIndex && { index: step.call }), function: { arguments: step.piece } }] }),
          ];
        case "unknown":
          return [sse({ object: "chat.completion.surprise", choices: [], surprise: { a: 1 } })];
        default:
          return [];
      }
    },
    end: (stop, usage) => [
      chunk({}, reasons[stop]),
      chunk({}, null, { choices: [], usage: toUsage(usage) }),
      "data: [DONE]\n\n",
    ],
    fail: (why) => [sse(refuseAsOpenAi(why).body as object)],
  };
}

/** `CompletionUsage`. */
export function toUsage({ input, cached, output, reasoning }: WireUsage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
