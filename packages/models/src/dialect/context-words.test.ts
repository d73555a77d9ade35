import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { failureOf, openAiError } from "../model.fixture.ts";
import { contextRefusal } from "./context-words.ts";

type Case = readonly [server: string, status: number, body: unknown, windowTokens?: number];

/** As the servers send them; the sources stand beside the wordings. */
const tooLong: readonly Case[] = [
  [
    "OpenAI chat",
    400,
    openAiError(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8312 tokens. Please reduce the length of the messages.",
      { code: "context_length_exceeded" },
    ),
    8_192,
  ],
  [
    "OpenAI gpt-5",
    400,
    openAiError(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 477469 tokens. Please reduce the length of the messages.",
      { code: "context_length_exceeded" },
    ),
    272_000,
  ],
  [
    "OpenAI responses",
    400,
    openAiError("Your input exceeds the context window of this model. Please adjust your input and try again.", {
      code: "context_length_exceeded",
    }),
  ],
  [
    "one message alone",
    400,
    openAiError(
      "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
      { code: "string_above_max_length" },
    ),
  ],
  [
    "Anthropic",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 213462 tokens > 200000 maximum" },
    },
    200_000,
  ],
  [
    "Anthropic with max_tokens",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
      },
    },
    200_000,
  ],
  [
    "Anthropic, bytes",
    413,
    { type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
  ],
  [
    "Gemini",
    400,
    {
      error: {
        code: 400,
        message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        status: "INVALID_ARGUMENT",
      },
    },
    1_048_575,
  ],
  [
    "Gemini, as a list",
    400,
    [
      {
        error: {
          code: 400,
          message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    1_048_575,
  ],
  [
    "Vertex",
    400,
    openAiError(
      "Unable to submit request because the input token count is 1097000 but model only supports up to 1048576.",
    ),
    1_048_576,
  ],
  [
    "xAI",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    131_072,
  ],
  [
    "Groq",
    400,
    openAiError("Please reduce the length of the messages or completion.", { code: "context_length_exceeded" }),
  ],
  [
    "Cerebras",
    400,
    {
      message: "Please reduce the length of the messages or completion. Current length is 17000 while limit is 8192",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    },
    8_192,
  ],
  ["Cerebras, nothing but a status", 413, ""],
  [
    "GitHub Copilot",
    400,
    {
      error: {
        message: "prompt token count of 391491 exceeds the limit of 128000",
        code: "model_max_prompt_tokens_exceeded",
      },
    },
    128_000,
  ],
  [
    "Kimi",
    400,
    openAiError("Invalid request: Your request exceeded model token limit: 262144 (requested: 300123)"),
    262_144,
  ],
  [
    "DashScope",
    400,
    openAiError("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]", {
      code: "invalid_parameter_error",
    }),
    983_616,
  ],
  [
    "DashScope, its own shape",
    400,
    { code: "InvalidParameter", message: "Range of input length should be [1, 30720]", request_id: "r" },
    30_720,
  ],
  [
    "Together",
    422,
    openAiError("The input (516368 tokens) is longer than the model's context length (262144 tokens)."),
    262_144,
  ],
  [
    "Together, before",
    400,
    openAiError(
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`",
      { param: "max_tokens" },
    ),
    4_097,
  ],
  [
    "Text Generation Inference",
    422,
    {
      error: "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000",
      error_type: "validation",
    },
    4_095,
  ],
  ["Fireworks", 400, openAiError("The prompt is too long: 170000, model maximum context length: 131071"), 131_071],
  [
    "Mistral",
    400,
    {
      object: "error",
      message:
        "Prompt contains 131100 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    },
    131_072,
  ],
  [
    "OpenRouter",
    400,
    openAiError(
      'This endpoint\'s maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
      { code: 400 },
    ),
    32_768,
  ],
  [
    "OpenRouter, in the provider's words",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
          provider_name: "Anthropic",
        },
      },
    },
    200_000,
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    16_384,
  ],
  [
    "vLLM with max_tokens",
    400,
    openAiError(
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 65536 tokens and your request has 57879 input tokens (8192 > 65536 - 57879). None",
      { code: 400 },
    ),
    65_536,
  ],
  [
    "vLLM, the engine",
    400,
    {
      object: "error",
      message:
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.",
      code: 400,
    },
    8_192,
  ],
  [
    "SGLang",
    400,
    {
      object: "error",
      message:
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens.",
      code: 400,
    },
    32_768,
  ],
  [
    "SGLang, input alone",
    400,
    {
      object: "error",
      message:
        "Input length (40000 tokens) exceeds the maximum allowed length (32762 tokens). Use a shorter input or enable --allow-auto-truncate.",
      code: 400,
    },
    32_762,
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 13_392,
        n_ctx: 8_192,
      },
    },
    8_192,
  ],
  [
    "llama.cpp, before",
    500,
    {
      error: {
        code: 500,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_ctx: 4_096,
      },
    },
    4_096,
  ],
  [
    "llama-cpp-python",
    500,
    {
      error: {
        message: "Requested tokens (5012) exceed context window of 4096",
        type: "internal_server_error",
        code: null,
      },
    },
    4_096,
  ],
  [
    "LM Studio",
    400,
    {
      error:
        "Trying to keep the first 6123 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    },
    4_096,
  ],
  [
    "LM Studio, before",
    400,
    { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
  ],
  ["Ollama", 400, { error: "prompt too long; exceeded max context length by 712 tokens" }],
  [
    "DeepSeek",
    400,
    openAiError(
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (131808 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    ),
    131_072,
  ],
  ["z.ai", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }],
  ["MiniMax", 400, openAiError("invalid params, context window exceeds limit (2013)")],
  ["Bedrock", 400, { message: "Input is too long for requested model." }],
  [
    "Bedrock, Titan",
    400,
    { message: "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9279" },
    8_192,
  ],
  [
    "Volcengine Ark",
    400,
    {
      error: {
        code: "InvalidParameter",
        message: "Input length 203743 exceeds the maximum length 202752",
        type: "BadRequest",
      },
    },
    202_752,
  ],
  [
    "Poolside at OpenRouter",
    400,
    openAiError("Input length 131393 exceeds the maximum allowed input length of 131040 tokens."),
    131_040,
  ],
  ["LiteLLM", 400, openAiError("litellm.ContextWindowExceededError: context_window_exceeded")],
  [
    "a server behind FastAPI",
    400,
    { detail: "This model's maximum context length is 4096 tokens, however you requested 5000." },
    4_096,
  ],
  ["plain text", 400, "prompt is too long: 9 > 8"],
  ["words nobody has heard", 400, openAiError("The conversation is too large for the context window of this engine.")],
];

describe("a request that is too long for the model", () => {
  for (const [server, status, body, windowTokens] of tooLong)
    it(`is understood from ${server}`, async () => {
      const { kind, ...found } = await failureOf([{ kind: "status", status, body }]);
      assert.deepEqual([kind, found.windowTokens], ["context_full", windowTokens]);
    });

  it("is understood from Cerebras, which says nothing at all, and from nobody else", async () => {
    const { toModelFailure } = await import("./model-failure.ts");
    const empty = Object.assign(new Error("400 status code (no body)"), { status: 400 });
    const facts = { visible: false, secrets: [], now: 0 };
    const kindAt = (baseUrl: string) => toModelFailure(empty, { ...facts, baseUrl }).kind;
    assert.equal(kindAt("https://api.cerebras.ai/v1"), "context_full");
    assert.equal(kindAt("https://api.example.com/v1"), "bad_request");
  });

  it("is read in a moment, however the words are made", () => {
    for (const piece of ["exceed ", "context ", "too long context", "prompt is too long: 1", "(", "1,"])
      assert.equal(contextRefusal(piece.repeat(100_000)) === undefined, piece !== "prompt is too long: 1", piece);
  });
});
