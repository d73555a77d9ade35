import { type ProtocolCase, runCases } from "./cases.fixture.ts";

const sdk = "resources/responses/responses.d.ts of openai 7.55.0";
const text = JSON.stringify({ path: "a" });
const calls = [["read", { path: "a" }]] as const;
const response = { id: "resp_1", model: "gpt-5.6", error: null };

function completed(more: object = {}): object {
  return { type: "response.completed", response: { ...response, status: "completed", ...more } };
}

function said(words: string): readonly object[] {
  return [
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m" } },
    { type: "response.output_text.delta", output_index: 0, item_id: "m", delta: words },
  ];
}

function called(given: unknown): readonly object[] {
  const item = { type: "function_call", id: "f", call_id: "c", name: "read" };
  return [
    { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
    { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: given } },
  ];
}

function summary(summary_index: number, words: string): object {
  return { type: "response.reasoning_summary_text.delta", output_index: 0, item_id: "r", summary_index, delta: words };
}

function responses(
  name: string,
  source: string,
  says: ProtocolCase["says"],
  wanted: Partial<ProtocolCase>,
): ProtocolCase {
  return { name, source, dialect: "openai-responses", says, ...wanted };
}

runCases("the Responses API", [
  responses(
    "paragraphs of a summary",
    `${sdk}: ResponseReasoningSummaryTextDeltaEvent`,
    [summary(0, "First"), summary(0, "."), summary(1, "Then."), ...said("yes"), completed()],
    { thought: "First.\n\nThen.", text: "yes" },
  ),
  responses(
    "response.done in place of response.completed",
    "github.com/can1357/oh-my-pi/pull/4692",
    [...said("yes"), { type: "response.done", response: { ...response, status: "completed" } }],
    { text: "yes" },
  ),
  responses(
    "response.done of a response that failed",
    "github.com/can1357/oh-my-pi/pull/4692",
    [...said("yes"), { type: "response.done", response: { ...response, status: "failed" } }],
    { text: "yes", fails: "server_error" },
  ),
  responses("[DONE] alone, after words", "github.com/decolua/9router/pull/1648", [...said("yes"), "data: [DONE]\n\n"], {
    text: "yes",
  }),
  responses("[DONE] alone, after nothing", "github.com/decolua/9router/pull/1648", ["data: [DONE]\n\n"], {
    fails: "truncated",
  }),
  responses(
    "arguments as an object",
    "github.com/ggml-org/llama.cpp/issues/20198",
    [...called({ path: "a" }), completed()],
    { calls },
  ),
  responses(
    "an output limit",
    `${sdk}: incomplete_details`,
    [
      ...said("Hel"),
      {
        type: "response.incomplete",
        response: { ...response, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      },
    ],
    { text: "Hel", stop: "max_tokens" },
  ),
  responses(
    "incomplete without a word why",
    `${sdk}: ResponseStatus`,
    [...called(text), { type: "response.incomplete", response: { ...response, status: "incomplete" } }],
    { calls, stop: "max_tokens" },
  ),
  responses(
    "a filter in the middle of a call",
    `${sdk}: incomplete_details`,
    [
      ...called(text),
      { type: "response.incomplete", response: { ...response, incomplete_details: { reason: "content_filter" } } },
    ],
    { calls, stop: "max_tokens" },
  ),
  responses(
    "tokens that went into the cache",
    `${sdk}: InputTokensDetails`,
    [
      ...said("yes"),
      completed({
        usage: {
          input_tokens: 90,
          input_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
          output_tokens: 9,
          output_tokens_details: { reasoning_tokens: 5 },
        },
      }),
    ],
    {
      text: "yes",
      usage: { inputTokens: 90, cachedTokens: 40, cacheWriteTokens: 30, outputTokens: 9, reasoningTokens: 5 },
    },
  ),
  responses(
    "200 with an error in JSON",
    "openrouter.ai/docs/api/reference/errors-and-debugging",
    [JSON.stringify({ error: { code: 402, message: "No credits" } })],
    { contentType: "application/json", fails: "quota", reason: /No credits/ },
  ),
  responses(
    "an error in an envelope",
    `${sdk}: ResponseErrorEvent`,
    [...said("Hel"), { type: "error", error: { type: "server_error", message: "died" } }],
    { text: "Hel", fails: "server_error", reason: /died/ },
  ),
]);

const messages = "resources/messages/messages.d.ts of @anthropic-ai/sdk 1.11.0";
const start = {
  type: "message_start",
  message: { model: "claude-opus-5", usage: { input_tokens: 10, output_tokens: 1 } },
};
const stop = { type: "message_stop" };

function block(index: number, content_block: object, ...deltas: readonly object[]): readonly object[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function words(content: string): readonly object[] {
  return block(0, { type: "text", text: "" }, { type: "text_delta", text: content });
}

function why(stop_reason: string | null, usage: object = { output_tokens: 5 }): object {
  return { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage };
}

function anthropic(
  name: string,
  source: string,
  says: ProtocolCase["says"],
  wanted: Partial<ProtocolCase>,
): ProtocolCase {
  return { name, source, dialect: "anthropic", says: [start, ...says], ...wanted };
}

const unsigned = block(0, { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: "hm" });

runCases("the Messages API", [
  anthropic(
    "pings and comments",
    "docs.anthropic.com/en/api/messages-streaming#ping-events",
    [": keep-alive\n\n", { type: "ping" }, ...words("yes"), { type: "ping" }, why("end_turn"), stop],
    { text: "yes" },
  ),
  anthropic(
    "lines that end in CR and LF, without names of events",
    "github.com/agentscope-ai/agentscope-java/issues/2073",
    [[...words("yes"), why("end_turn"), stop].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("")],
    { text: "yes" },
  ),
  anthropic(
    "a stop reason without message_stop",
    "github.com/esengine/DeepSeek-Reasonix/pull/8756",
    [...words("yes"), why("end_turn")],
    { text: "yes" },
  ),
  anthropic(
    "message_stop without a stop reason",
    "assumed, as servers of Chat Completions do",
    [...words("yes"), why(null), stop],
    { text: "yes" },
  ),
  anthropic("message_stop without a stop reason, after nothing", "assumed, as servers of Chat Completions do", [stop], {
    fails: "truncated",
  }),
  anthropic("neither", "github.com/esengine/DeepSeek-Reasonix/pull/8756", [...words("yes")], {
    text: "yes",
    fails: "truncated",
  }),
  anthropic("a full window", `${messages}: StopReason`, [...words("Hel"), why("model_context_window_exceeded"), stop], {
    text: "Hel",
    fails: "context_full",
  }),
  anthropic("a refusal", `${messages}: StopReason`, [...words("Hel"), why("refusal"), stop], {
    text: "Hel",
    stop: "refusal",
  }),
  anthropic(
    "arguments with the start of the block",
    "github.com/vllm-project/vllm, entrypoints/anthropic",
    [...block(0, { type: "tool_use", id: "t", name: "read", input: { path: "a" } }), why("tool_use"), stop],
    { calls },
  ),
  anthropic(
    "cache writes by how long they are kept",
    `${messages}: CacheCreation`,
    [
      ...words("yes"),
      why("end_turn", {
        input_tokens: 10,
        cache_read_input_tokens: 20,
        cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 40 },
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 2 },
      }),
      stop,
    ],
    {
      text: "yes",
      usage: { inputTokens: 100, cachedTokens: 20, cacheWriteTokens: 70, outputTokens: 5, reasoningTokens: 2 },
    },
  ),
  anthropic(
    "a thought cut before its signature is not sent back",
    "github.com/bitrouter/bitrouter/pull/592",
    [...unsigned.slice(0, -1), ...block(1, { type: "text", text: "yes" }), why("end_turn"), stop],
    { thought: "hm", text: "yes", state: undefined },
  ),
  anthropic(
    "a whole thought of another provider, which signs none, is sent back",
    "github.com/musistudio/claude-code-router/pull/1382",
    [...unsigned, ...block(1, { type: "text", text: "yes" }), why("end_turn"), stop],
    {
      thought: "hm",
      text: "yes",
      state: {
        parts: [
          { kind: "opaque", data: { type: "thinking", thinking: "hm", signature: "" } },
          { kind: "text", chars: 3 },
        ],
      },
    },
  ),
  {
    ...anthropic("200 with an error in JSON", "docs.anthropic.com/en/api/errors", [], {
      fails: "overloaded",
      reason: /Overloaded/,
    }),
    contentType: "application/json",
    says: [JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })],
  },
  anthropic(
    "an error without the name of its event",
    "docs.anthropic.com/en/api/messages-streaming#error-events",
    [
      ...words("Hel"),
      `data: ${JSON.stringify({ type: "error", error: { type: "rate_limit_error", message: "slow down" } })}\n\n`,
    ],
    { text: "Hel", fails: "rate_limit" },
  ),
]);

function chunk(parts: readonly object[], finishReason?: string, usageMetadata?: object): object {
  return {
    candidates: [{ content: { role: "model", parts }, ...(finishReason && { finishReason }) }],
    ...(usageMetadata && { usageMetadata }),
  };
}

function google(name: string, source: string, says: ProtocolCase["says"], wanted: Partial<ProtocolCase>): ProtocolCase {
  return { name, source, dialect: "google", says, ...wanted };
}

runCases("Google, Mistral and Bedrock", [
  google(
    "a stream that calls itself JSON",
    "assumed: proxies set types of their own",
    [chunk([{ text: "ye" }]), chunk([{ text: "s" }], "STOP")],
    { contentType: "application/json", text: "yes" },
  ),
  google(
    "200 with an error in a list",
    "cloud.google.com/apis/design/errors, without alt=sse",
    [JSON.stringify([{ error: { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" } }])],
    { contentType: "application/json", fails: "overloaded", reason: /The model is overloaded/ },
  ),
  google(
    "thoughts and prompts of tools are counted",
    "ai.google.dev/api/generate-content#UsageMetadata",
    [
      chunk([{ text: "yes" }], "STOP", {
        promptTokenCount: 20,
        cachedContentTokenCount: 8,
        toolUsePromptTokenCount: 5,
        candidatesTokenCount: 7,
        thoughtsTokenCount: 40,
        totalTokenCount: 72,
      }),
    ],
    { text: "yes", usage: { inputTokens: 25, cachedTokens: 8, outputTokens: 47, reasoningTokens: 40 } },
  ),
  google(
    "a call that is malformed",
    "map-google-finish-reason.ts of @ai-sdk/google 4.0.121",
    [chunk([{ text: "Let me" }], "MALFORMED_FUNCTION_CALL")],
    { text: "Let me", fails: "server_error", reason: /MALFORMED_FUNCTION_CALL/ },
  ),
  google("safety", "ai.google.dev/api/generate-content#FinishReason", [chunk([{ text: "Hel" }], "SAFETY")], {
    text: "Hel",
    stop: "refusal",
  }),
  google(
    "an output limit in the middle of a call",
    "ai.google.dev/api/generate-content#FinishReason",
    [chunk([{ functionCall: { name: "read", args: { path: "a" } } }], "MAX_TOKENS")],
    { calls, stop: "max_tokens" },
  ),
  google(
    "200 with an error in JSON",
    "cloud.google.com/apis/design/errors",
    [JSON.stringify({ error: { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED" } })],
    { contentType: "application/json", fails: "rate_limit", reason: /Quota exceeded/ },
  ),
  {
    name: "model_length of Mistral",
    source: "map-mistral-finish-reason.ts of @ai-sdk/mistral 4.0.87",
    dialect: "mistral",
    says: [
      {
        id: "m",
        created: 1,
        model: "mistral-medium-latest",
        choices: [{ index: 0, delta: { role: "assistant", content: "Hel" }, finish_reason: null }],
      },
      {
        id: "m",
        created: 1,
        model: "mistral-medium-latest",
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "model_length" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
      "data: [DONE]\n\n",
    ],
    text: "Hel",
    stop: "max_tokens",
  },
  {
    name: "200 with an error of Mistral in JSON",
    source: "docs.mistral.ai/api: HTTPValidationError",
    dialect: "mistral",
    contentType: "application/json",
    says: [
      JSON.stringify({
        object: "error",
        message: "Service tier capacity exceeded",
        type: "service_tier_capacity_exceeded",
        code: "3505",
      }),
    ],
    fails: "overloaded",
    reason: /capacity exceeded/,
  },
]);
