import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ModelFailureKind, notices, type TurnFailureCode } from "@talaria/agent";
import { say } from "@talaria/testkit";
import { failureOf, openAiError } from "../model.fixture.ts";

type Other = readonly [server: string, status: number, body: unknown, kind: string];

/** Tokens are named, and it is something else. */
const otherwise: readonly Other[] = [
  [
    "OpenAI, tokens per minute",
    429,
    openAiError(
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
    "rate_limit",
  ],
  [
    "Groq, tokens per minute",
    413,
    openAiError(
      "Request too large for model `qwen3-32b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 10000, please reduce your message size and try again.",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
    "rate_limit",
  ],
  [
    "Azure",
    429,
    openAiError(
      "Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current pricing tier.",
      { code: "429" },
    ),
    "rate_limit",
  ],
  [
    "Anthropic",
    429,
    {
      type: "error",
      error: {
        type: "rate_limit_error",
        message: "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      },
    },
    "rate_limit",
  ],
  [
    "a proxy",
    400,
    openAiError("Rate limit: too many tokens per minute for this key, prompt limit exceeded"),
    "rate_limit",
  ],
  ["Bedrock", 429, { message: "Too many tokens, please wait before trying again." }, "rate_limit"],
  [
    "OpenRouter, no money",
    402,
    openAiError(
      "Prompt tokens limit exceeded: 36163 > 29652. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account",
      { code: 402 },
    ),
    "quota",
  ],
  [
    "OpenAI, output",
    400,
    openAiError(
      "max_tokens is too large: 200000. This model supports at most 128000 completion tokens, whereas you provided 200000.",
      { param: "max_tokens" },
    ),
    "bad_request",
  ],
  [
    "OpenAI, the cache key",
    400,
    openAiError(
      "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 88 instead.",
      { code: "string_above_max_length" },
    ),
    "bad_request",
  ],
  [
    "a request that is quoted",
    400,
    {
      detail: [
        {
          loc: ["body"],
          msg: "Field required",
          input: { messages: [{ content: "prompt is too long: 5 tokens > 4 maximum" }] },
        },
      ],
    },
    "bad_request",
  ],
  ["a server whose 400 is empty", 400, "", "bad_request"],
  ["a busy server", 503, openAiError("The model is overloaded: context length queue is full"), "overloaded"],
];

describe("a refusal that names tokens", () => {
  for (const [server, status, body, kind] of otherwise)
    it(`is not what ${server} means`, async () => {
      const failure = await failureOf([{ kind: "status", status, body }]);
      assert.deepEqual([failure.kind, failure.windowTokens], [kind, undefined]);
    });
});

describe("a server that refuses with status 200", () => {
  const refusals: readonly (readonly [server: string, body: unknown, kind: string, windowTokens?: number])[] = [
    ["OpenAI's shape", openAiError("prompt is too long: 213462 tokens > 200000 maximum"), "context_full", 200_000],
    [
      "a code and a message",
      { code: "InvalidParameter", message: "Range of input length should be [1, 6000]" },
      "context_full",
      6_000,
    ],
    ["MiniMax", { base_resp: { status_code: 1008, status_msg: "insufficient balance" } }, "quota"],
    ["a busy one", { error: { message: "The server is busy, try again later" } }, "overloaded"],
    ["one without the key", { error: "Invalid API key" }, "auth"],
    ["one with many callers", { error: { message: "Too many requests, slow down" } }, "rate_limit"],
  ];
  for (const [server, body, kind, windowTokens] of refusals)
    it(`is understood: ${server}`, async () => {
      const failure = await failureOf([{ kind: "status", status: 200, body }]);
      assert.deepEqual([failure.kind, failure.windowTokens], [kind, windowTokens]);
    });

  it("is understood when it says so in the stream, in its own shape", async () => {
    const chunk = { object: "error", message: "This model's maximum context length is 16384 tokens.", code: 400 };
    const failure = await failureOf([...say("half"), { kind: "raw", line: `data: ${JSON.stringify(chunk)}\n` }]);
    assert.deepEqual([failure.kind, failure.windowTokens, failure.visible], ["context_full", 16_384, true]);
  });
});

describe("a status without a code", () => {
  const table: readonly (readonly [status: number, text: string, kind: ModelFailureKind, told: RegExp])[] = [
    [401, "no", "auth", /access to the language model was refused/],
    [402, "no", "quota", /credit for my language model is used up/],
    [404, "no", "not_found", /doesn't exist/],
    [429, "no", "rate_limit", /too many requests right now/],
    [500, "no", "server_error", /failed \(its server reports an error\)/],
    [500, "The model is overloaded, try again later", "server_error", /failed \(its server reports an error\)/],
    [502, "bad gateway", "server_error", /failed \(its server reports an error\)/],
    [503, "no", "overloaded", /overloaded right now/],
    [529, "no", "overloaded", /overloaded right now/],
  ];
  for (const [status, text, kind, told] of table)
    it(`${status} with "${text}" is told as ${kind}`, async () => {
      const failure = await failureOf([{ kind: "status", status, body: { error: { message: text } } }]);
      assert.equal(failure.kind, kind);
      assert.match(notices[kind as TurnFailureCode], told);
    });
});
