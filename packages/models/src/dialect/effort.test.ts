import assert from "node:assert/strict";
import { it } from "node:test";
import { words } from "@talaria/testkit";
import { type DialectCase, dialectCases, startDialectPeer } from "../dialects.fixture.ts";
import { answerOf, request } from "../model.fixture.ts";
import { budgetWithin, chatEffort, effortOf } from "./effort.ts";

type Provider = Parameters<typeof effortOf>[0]["provider"];

it("says the most each family knows, and nothing to one without such a setting", () => {
  const cases: readonly (readonly [Provider, string, low: string | undefined, max: string | undefined])[] = [
    ["openai-responses", "gpt-4.1", undefined, undefined],
    ["openai-responses", "gpt-5-chat-latest", undefined, undefined],
    ["openai-responses", "o4-mini", "low", "high"],
    ["openai-responses", "gpt-5", "low", "high"],
    ["openai-responses", "gpt-5-mini", "low", "high"],
    ["openai-responses", "gpt-5.1", "low", "high"],
    ["openai-responses", "gpt-5.1-codex-max", "low", "xhigh"],
    ["openai-responses", "gpt-5.2", "low", "xhigh"],
    ["openai-responses", "gpt-5.5", "low", "xhigh"],
    ["openai-responses", "gpt-5.6", "low", "max"],
    ["openai-chat", "openai/gpt-5.6-sol", "low", "max"],
    ["openai-chat", "gpt-oss:20b", "low", "high"],
    ["openai-chat", "openai/gpt-oss-120b", "low", "high"],
    ["openai-chat", "llama3.3", undefined, undefined],
    ["anthropic", "claude-sonnet-4-5", undefined, undefined],
    ["anthropic", "claude-haiku-4-5-20251001", undefined, undefined],
    ["anthropic", "claude-sonnet-4-20250514", undefined, undefined],
    ["anthropic", "claude-opus-4-5-20251101", "low", "high"],
    ["anthropic", "claude-opus-4-6", "low", "max"],
    ["anthropic", "claude-sonnet-5", "low", "max"],
    ["google", "gemini-2.0-flash", undefined, undefined],
    ["google", "gemini-2.5-pro", "low", "high"],
    ["google", "gemini-3-pro-preview", "low", "high"],
    ["mistral", "mistral-medium-latest", "low", "high"],
    ["bedrock", "us.anthropic.claude-opus-4-6-v1", "low", "xhigh"],
    ["bedrock", "amazon.nova-pro-v1:0", undefined, undefined],
    ["bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0", undefined, undefined],
  ];
  for (const [provider, model, low, max] of cases) {
    const said = (["low", "max"] as const).map((effort) => effortOf({ provider, model, effort }));
    assert.deepEqual(said, [low, max], `${provider} ${model}`);
    assert.equal(effortOf({ provider, model }), undefined);
  }
});

const at = {
  openRouter: "https://openrouter.ai/api/v1",
  vercel: "https://ai-gateway.vercel.sh/v1",
  dashScope: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  zai: "https://api.z.ai/api/paas/v4",
  deepSeek: "https://api.deepseek.com",
  moonshot: "https://api.moonshot.ai/v1",
  miniMax: "https://api.minimax.io/v1",
  google: "https://generativelanguage.googleapis.com/v1beta/openai",
  xai: "https://api.x.ai/v1",
  together: "https://api.together.xyz/v1",
  groq: "https://api.groq.com/openai/v1",
  ownServer: "http://127.0.0.1:8000/v1",
} as const;

const enabled = { thinking: { type: "enabled" } };

/** The sources stand in the table of families. */
const chatCases: readonly (readonly [keyof typeof at, model: string, medium: object, max: object])[] = [
  ["openRouter", "openai/gpt-5.6", { reasoning: { effort: "medium" } }, { reasoning: { effort: "xhigh" } }],
  ["openRouter", "z-ai/glm-4.6:nitro", { reasoning: { effort: "medium" } }, { reasoning: { effort: "xhigh" } }],
  ["openRouter", "nobody/knows-it", { reasoning: { effort: "medium" } }, { reasoning: { effort: "xhigh" } }],
  [
    "openRouter",
    "anthropic/claude-opus-4.6",
    { reasoning: { effort: "medium" }, verbosity: "medium" },
    { reasoning: { effort: "xhigh" }, verbosity: "max" },
  ],
  [
    "openRouter",
    "anthropic/claude-sonnet-4.5",
    { reasoning: { max_tokens: 6_144 } },
    { reasoning: { max_tokens: 24_576 } },
  ],
  ["openRouter", "qwen/qwen3-235b-a22b", { reasoning: { max_tokens: 8_192 } }, { reasoning: { max_tokens: 32_768 } }],
  ["openRouter", "openai/gpt-5-chat", {}, {}],
  ["vercel", "xai/grok-4.3", { reasoning: { effort: "medium" } }, { reasoning: { effort: "xhigh" } }],
  [
    "dashScope",
    "qwen-plus",
    { enable_thinking: true, thinking_budget: 8_192 },
    { enable_thinking: true, thinking_budget: 32_768 },
  ],
  ["dashScope", "qwq-plus", { thinking_budget: 8_192 }, { thinking_budget: 32_768 }],
  ["dashScope", "glm-4.6", { enable_thinking: true }, { enable_thinking: true }],
  ["dashScope", "qwen3-coder-plus", {}, {}],
  ["dashScope", "qwen3-235b-a22b-instruct-2507", {}, {}],
  ["zai", "glm-4.6", enabled, enabled],
  ["zai", "glm-5.3", { ...enabled, reasoning_effort: "high" }, { ...enabled, reasoning_effort: "max" }],
  ["deepSeek", "deepseek-v4-pro", { ...enabled, reasoning_effort: "high" }, { ...enabled, reasoning_effort: "max" }],
  ["deepSeek", "deepseek-chat", { ...enabled, reasoning_effort: "high" }, { ...enabled, reasoning_effort: "max" }],
  ["moonshot", "kimi-k2.6", enabled, enabled],
  ["moonshot", "kimi-k3", { reasoning_effort: "high" }, { reasoning_effort: "max" }],
  ["moonshot", "kimi-k2-thinking", {}, {}],
  ["moonshot", "moonshot-v1-128k", {}, {}],
  ["miniMax", "MiniMax-M3", { thinking: { type: "adaptive" } }, { thinking: { type: "adaptive" } }],
  ["miniMax", "MiniMax-M2.5", {}, {}],
  ["google", "gemini-2.5-flash", { reasoning_effort: "medium" }, { reasoning_effort: "high" }],
  ["google", "gemini-3-pro-preview", { reasoning_effort: "high" }, { reasoning_effort: "high" }],
  ["google", "gemini-2.0-flash", {}, {}],
  ["xai", "grok-4.3", { reasoning_effort: "medium" }, { reasoning_effort: "high" }],
  ["xai", "grok-3-mini", { reasoning_effort: "high" }, { reasoning_effort: "high" }],
  ["xai", "grok-4-fast-reasoning", {}, {}],
  ["xai", "grok-4.20-0309-non-reasoning", {}, {}],
  ["together", "zai-org/GLM-5.3", { reasoning_effort: "high" }, { reasoning_effort: "max" }],
  ["together", "Qwen/Qwen3-32B", {}, {}],
  ["groq", "openai/gpt-oss-120b", { reasoning_effort: "medium" }, { reasoning_effort: "high" }],
  ["groq", "qwen/qwen3-32b", {}, {}],
  ["ownServer", "gpt-oss:20b", { reasoning_effort: "medium" }, { reasoning_effort: "high" }],
  ["ownServer", "deepseek-r1:7b", {}, {}],
  ["ownServer", "llama3.3", {}, {}],
];

for (const [service, model, medium, max] of chatCases)
  it(`says it as the server wants to be told: ${service}, ${model}`, () => {
    const said = (["medium", "max", undefined] as const).map((effort) =>
      chatEffort({ provider: "openai-chat", baseUrl: at[service], model, effort }),
    );
    assert.deepEqual(said, [medium, max, {}]);
  });

/** What is found in the body for `high`, and for `max`. */
const onTheWire: Readonly<Record<DialectCase["dialect"], readonly [high: RegExp, max: RegExp]>> = {
  "openai-chat": [/"reasoning_effort":"high"/, /"reasoning_effort":"max"/],
  "openai-responses": [/"reasoning":\{"effort":"high"/, /"reasoning":\{"effort":"max"/],
  anthropic: [
    /"thinking":\{"type":"adaptive".*"output_config":\{"effort":"high"\}/,
    /"output_config":\{"effort":"max"\}/,
  ],
  google: [/"thinkingLevel":"high"/, /"thinkingLevel":"high"/],
  mistral: [/"reasoning_effort":"high"/, /"reasoning_effort":"high"/],
  bedrock: [/"effort":"high"/, /"effort":"max"/],
};

for (const dialectCase of dialectCases)
  it(`sends the effort where a server looks for it: ${dialectCase.dialect}`, async () => {
    await using peer = await startDialectPeer(dialectCase, { respond: () => words("ok") });
    await answerOf(peer.modelWith({ effort: "high" }));
    await answerOf(peer.modelWith({ effort: "max" }));
    const [high, max] = peer.server.requests.map(({ body }) => JSON.stringify(body));
    const [wantedHigh, wantedMax] = onTheWire[dialectCase.dialect];
    assert.match(String(high), wantedHigh);
    assert.match(String(max), wantedMax);
    assert.deepEqual(peer.server.flaws, []);
  });

const anthropic = dialectCases.find(({ dialect }) => dialect === "anthropic") as DialectCase;

it("gives Claude models that know no effort a budget of thoughts, on top of the answer or within its limit", async () => {
  const cases: readonly (readonly [object, object])[] = [
    [{ effort: "high" }, { max_tokens: 28_672, thinking: { type: "enabled", budget_tokens: 12_288 } }],
    [{ effort: "max" }, { max_tokens: 40_960, thinking: { type: "enabled", budget_tokens: 24_576 } }],
    [
      { effort: "max", model: "claude-opus-4-1" },
      { max_tokens: 28_672, thinking: { type: "enabled", budget_tokens: 12_288 } },
    ],
    [
      { effort: "max", maxOutputTokens: 8_000 },
      { max_tokens: 8_000, thinking: { type: "enabled", budget_tokens: 4_000 } },
    ],
    [{ effort: "max", maxOutputTokens: 2_000 }, { max_tokens: 2_000 }],
    [{}, { max_tokens: 16_384 }],
    [
      { effort: "max", model: "claude-opus-4-5-20251101" },
      {
        max_tokens: 40_960,
        thinking: { type: "enabled", budget_tokens: 24_576 },
        output_config: { effort: "high" },
      },
    ],
    [{ effort: "low", model: "claude-3-5-haiku-latest" }, { max_tokens: 16_384 }],
  ];
  await using peer = await startDialectPeer(anthropic, { respond: () => words("ok") });
  for (const [config] of cases) await answerOf(peer.modelWith({ model: "claude-sonnet-4-5", ...config }));
  const bodies = peer.server.requests.map(({ body }) => {
    const { max_tokens, thinking, output_config } = body;
    return JSON.parse(JSON.stringify({ max_tokens, thinking, output_config })) as object;
  });
  assert.deepEqual(
    bodies,
    cases.map(([, wanted]) => wanted),
  );
  assert.equal(budgetWithin(1_024, 2_047), undefined);
});

it("asks for no thoughts where Claude would miss the one that led to the calls before", async () => {
  await using peer = await startDialectPeer(anthropic, { respond: () => words("ok") });
  const model = peer.modelWith({ model: "claude-sonnet-4-5", effort: "high" });
  const state = (data: unknown) => ({ dialect: "anthropic", model: "claude-sonnet-4-5", data });
  const thought = { kind: "opaque", data: { type: "thinking", thinking: "hm", signature: "proof-1" } };
  const call = {
    role: "assistant",
    content: "",
    toolCalls: [{ callId: "c1", name: "read", arguments: "{}" }],
  } as const;
  const result = { role: "tool", callId: "c1", name: "read", content: "x", isError: false } as const;
  const question = { role: "user", content: "read it" } as const;
  const own = { ...call, providerState: state({ parts: [thought, { kind: "call" }] }) };
  for (const messages of [
    [question, call, result],
    [question, own, result],
    [question, call, result, { role: "assistant", content: "Done.", toolCalls: [] } as const, question],
  ])
    await answerOf(model, request({ messages }));
  assert.deepEqual(peer.server.flaws, []);
  assert.deepEqual(
    peer.server.requests.map(({ body }) => body.thinking !== undefined),
    [false, true, true],
  );
});
