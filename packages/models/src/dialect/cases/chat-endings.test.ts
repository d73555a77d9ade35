import { callParts, content, delta, done, ended, type ProtocolCase, runCases } from "./cases.fixture.ts";

const zai = "docs.z.ai/api-reference/llm/chat-completion: finish_reason";
const openRouter = "openrouter.ai/docs/api/reference/errors-and-debugging";
const noReason = "github.com/waybarrios/vllm-mlx/issues/628";
const whole = { index: 0, id: "a", function: { name: "read", arguments: '{"path":"a"}' } };
const half = { index: 0, id: "a", function: { name: "read", arguments: '{"path":' } };
const json = "application/json";

runCases("how Chat Completions end", [
  {
    name: "[DONE] without a reason, after words",
    source: noReason,
    says: [...content("Hello"), ...ended(null)],
    text: "Hello",
  },
  {
    name: "[DONE] without a reason, after a whole call",
    source: noReason,
    says: [...callParts(whole), done],
    calls: [["read", { path: "a" }]],
  },
  {
    name: "[DONE] without a reason, after half a call",
    source: noReason,
    says: [...callParts(half), done],
    fails: "truncated",
  },
  { name: "[DONE] without a reason, after nothing", source: noReason, says: [done], fails: "truncated" },
  {
    name: "[DONE] without a reason, in a thought",
    source: noReason,
    says: [...content("<think>hm"), done],
    thought: "hm",
    fails: "truncated",
  },
  {
    name: "nothing at all",
    source: "github.com/vercel/ai/issues/19165",
    says: [...content("Hello")],
    text: "Hello",
    fails: "truncated",
  },
  {
    name: "tool_calls, and then stop",
    source: "github.com/sgl-project/sglang/pull/8417",
    says: [...callParts(whole), delta({}, { finish_reason: "tool_calls" }), ...ended("stop")],
    calls: [["read", { path: "a" }]],
  },
  {
    name: "length, and then stop",
    source: "github.com/ai-dynamo/dynamo/pull/4154",
    says: [...content("Hel"), delta({}, { finish_reason: "length" }), ...ended("stop")],
    text: "Hel",
    stop: "max_tokens",
  },
  {
    name: "network_error",
    source: zai,
    says: [...content("Hel"), ...ended("network_error")],
    text: "Hel",
    fails: "network",
    reason: /network_error/,
  },
  { name: "sensitive", source: zai, says: [...content("Hel"), ...ended("sensitive")], text: "Hel", stop: "refusal" },
  {
    name: "model_context_window_exceeded",
    source: "github.com/mozilla-ai/any-llm/issues/1200",
    says: [...ended("model_context_window_exceeded")],
    fails: "context_full",
  },
  {
    name: "insufficient_system_resource",
    source: "api-docs.deepseek.com/api/create-chat-completion: finish_reason",
    says: [...content("Hel"), ...ended("insufficient_system_resource")],
    text: "Hel",
    fails: "overloaded",
  },
  {
    name: "abort",
    source: "github.com/vllm-project/vllm/issues/57082",
    says: [...content("Hel"), ...ended("abort")],
    text: "Hel",
    fails: "server_error",
  },
  {
    name: "error",
    source: openRouter,
    says: [...content("Hel"), ...ended("error")],
    text: "Hel",
    fails: "server_error",
  },
  {
    name: "model_length",
    source: "map-mistral-finish-reason.ts of @ai-sdk/mistral 4.0.87",
    says: [...content("Hel"), ...ended("model_length")],
    text: "Hel",
    stop: "max_tokens",
  },
  {
    name: "content_filter in the middle of a call",
    source: "platform.openai.com/docs/api-reference/chat-streaming: finish_reason",
    says: [...callParts(whole), ...ended("content_filter")],
    calls: [["read", { path: "a" }]],
    stop: "max_tokens",
  },
  {
    name: "eos, which nobody knows",
    source: "docs.together.ai/reference/chat-completions: finish_reason",
    says: [...content("Hello"), ...ended("eos")],
    text: "Hello",
  },
  {
    name: "a refusal in a field of its own",
    source: "platform.openai.com/docs/guides/structured-outputs#refusals",
    says: [delta({ refusal: "I can't." }), ...ended()],
    text: "I can't.",
    stop: "refusal",
  },
]);

runCases("errors in the place of an answer", [
  {
    name: "200 with an error in JSON",
    source: openRouter,
    contentType: json,
    says: [JSON.stringify({ error: { code: 429, message: "Slow down" } }, null, 2)],
    fails: "rate_limit",
    reason: /Slow down/,
  },
  {
    name: "200 with an error in JSON that is called a stream",
    source: openRouter,
    says: [JSON.stringify({ error: { message: "No credits left", code: 402 } })],
    fails: "quota",
    reason: /No credits left/,
  },
  {
    name: "200 with an error that is a text",
    source: "assumed: an error need not be an object",
    contentType: json,
    says: [JSON.stringify({ error: "model runner has stopped" })],
    fails: "server_error",
    reason: /model runner has stopped/,
  },
  {
    name: "200 with a code of MiniMax",
    source: "platform.minimax.io/docs/api-reference/errorcode",
    contentType: json,
    says: [
      JSON.stringify({ id: "", choices: null, base_resp: { status_code: 1008, status_msg: "insufficient balance" } }),
    ],
    fails: "quota",
    reason: /insufficient balance \(1008\)/,
  },
  {
    name: "200 with a page",
    source: "github.com/openclaw/openclaw/issues/84697",
    contentType: "text/html",
    says: ["<!doctype html>\n<title>Console</title>"],
    fails: "not_found",
    reason: /Console/,
  },
  {
    name: "200 with other words",
    source: "assumed: an error need not be called one",
    contentType: json,
    says: [JSON.stringify({ code: 500, msg: "404 NOT_FOUND", success: false })],
    fails: "server_error",
    reason: /404 NOT_FOUND/,
  },
  {
    name: "an error in the middle, with a code",
    source: openRouter,
    says: [
      ...content("Hel"),
      {
        id: "c1",
        error: { code: 502, message: "Provider died" },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      },
    ],
    text: "Hel",
    fails: "server_error",
    reason: /Provider died/,
  },
  {
    name: "an error in the middle, as an event",
    source: "docs.anthropic.com/en/api/messages-streaming#error-events, as proxies pass it on",
    says: [...content("Hel"), 'event: error\ndata: {"message":"out of memory","type":"server_error","code":500}\n\n'],
    text: "Hel",
    fails: "server_error",
    reason: /out of memory/,
  },
  {
    name: "an error in the middle, as a text",
    source: "assumed: an error need not be an object",
    says: [...content("Hel"), { error: "slot was lost" }],
    text: "Hel",
    fails: "server_error",
    reason: /slot was lost/,
  },
  {
    name: "a line that is broken off",
    source: "github.com/vercel/ai/issues/19165",
    says: [...content("Hel"), 'data: {"choices":[{"ind'],
    text: "Hel",
    fails: "truncated",
  },
]);

function counted(name: string, source: string, usage: object, wanted: ProtocolCase["usage"]): ProtocolCase {
  return { name, source, says: [...content("ok"), ...ended("stop", usage)], text: "ok", usage: wanted ?? {} };
}

runCases("what Chat Completions count", [
  counted(
    "cached tokens of DeepSeek",
    "api-docs.deepseek.com/guides/kv_cache",
    { prompt_tokens: 900, completion_tokens: 5, prompt_cache_hit_tokens: 800, prompt_cache_miss_tokens: 100 },
    { inputTokens: 900, cachedTokens: 800, outputTokens: 5 },
  ),
  counted(
    "cache writes of OpenRouter",
    "openrouter.ai/docs/guides/features/prompt-caching",
    {
      prompt_tokens: 900,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 150 },
    },
    { inputTokens: 900, cachedTokens: 700, cacheWriteTokens: 150 },
  ),
  counted(
    "cached_tokens of Moonshot",
    "github.com/Bike4Mind/bike4mind/pull/1089",
    { prompt_tokens: 2989, completion_tokens: 5, cached_tokens: 2989 },
    { cachedTokens: 2989 },
  ),
  {
    name: "usage in the choice",
    source: "github.com/earendil-works/pi/issues/2017",
    says: [
      ...content("ok"),
      delta({}, { finish_reason: "stop", usage: { prompt_tokens: 7, completion_tokens: 3 } }),
      done,
    ],
    text: "ok",
    usage: { inputTokens: 7, outputTokens: 3 },
  },
  {
    name: "usage of Groq",
    source: "github.com/vercel/ai/issues/1651",
    says: [
      ...content("ok"),
      {
        ...delta({}, { finish_reason: "stop" }),
        x_groq: { usage: { prompt_tokens: 23, completion_tokens: 19, total_tokens: 42 } },
      },
      done,
    ],
    text: "ok",
    usage: { inputTokens: 23, outputTokens: 19, reasoningTokens: 0 },
  },
  counted(
    "thoughts beside the completion",
    "github.com/Wei-Shaw/sub2api/issues/5771",
    {
      prompt_tokens: 10_120,
      completion_tokens: 1_499,
      total_tokens: 14_428,
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2_809 },
    },
    { inputTokens: 10_120, outputTokens: 4_308, reasoningTokens: 2_809 },
  ),
  counted(
    "thoughts of Gemini, told by the sum alone",
    "github.com/router-for-me/CLIProxyAPI/issues/5733",
    { prompt_tokens: 21, completion_tokens: 0, total_tokens: 81 },
    { inputTokens: 21, outputTokens: 60, reasoningTokens: 60 },
  ),
  counted(
    "the names of the Responses API",
    "ResponseUsage of openai 7.55.0, as proxies pass it on",
    {
      input_tokens: 10,
      output_tokens: 4,
      input_tokens_details: { cached_tokens: 6 },
      output_tokens_details: { reasoning_tokens: 2 },
    },
    { inputTokens: 10, cachedTokens: 6, outputTokens: 4, reasoningTokens: 2 },
  ),
  {
    name: "usage in every chunk, the last one counts",
    source: "docs.vllm.ai: stream_options.continuous_usage_stats",
    says: [
      { ...delta({ content: "o" }), usage: { prompt_tokens: 7, completion_tokens: 1 } },
      { ...delta({ content: "k" }), usage: { prompt_tokens: 7, completion_tokens: 2 } },
      ...ended(),
    ],
    text: "ok",
    usage: { inputTokens: 7, outputTokens: 2 },
  },
]);
