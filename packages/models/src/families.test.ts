import assert from "node:assert/strict";
import { it } from "node:test";
import { familyOf, largestWindowOf, serviceOf } from "./families.ts";

it("knows a model by any name that it goes by", () => {
  const names: readonly (readonly [one: string, other: string])[] = [
    ["gpt-5.6", "openai/gpt-5.6-sol:nitro"],
    ["claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5"],
    ["claude-opus-4-6", "us.anthropic.claude-opus-4-6-v1:0"],
    ["claude-3-7-sonnet-latest", "anthropic/claude-3.7-sonnet"],
    ["qwen3-32b", "Qwen/Qwen3-32B"],
    ["glm-4.6", "zai-org/GLM-4.6"],
    ["minimax-m2", "MiniMaxAI/MiniMax-M2"],
    ["gpt-oss:20b", "openai/gpt-oss-120b"],
  ];
  for (const [one, other] of names) {
    assert.ok(familyOf(one) !== undefined, one);
    assert.equal(familyOf(one), familyOf(other), other);
  }
  assert.equal(familyOf("llama3.3"), undefined);
});

it("does not take one generation of Claude for another", () => {
  const traits = (model: string) => {
    const { words, budgets, switch: adaptive, thinks } = familyOf(model) ?? {};
    return [words !== undefined, budgets !== undefined, adaptive === "adaptive", thinks === true];
  };
  assert.deepEqual(traits("claude-sonnet-4-20250514"), [false, true, false, false]);
  assert.deepEqual(traits("claude-opus-4-1-20250805"), [false, true, false, false]);
  assert.deepEqual(traits("claude-haiku-4-5"), [false, true, false, false]);
  assert.deepEqual(traits("claude-opus-4-5"), [true, true, false, false]);
  assert.deepEqual(traits("claude-sonnet-4-6"), [true, false, true, false]);
  assert.deepEqual(traits("claude-opus-4-10"), [true, false, true, false]);
  assert.deepEqual(traits("claude-sonnet-5"), [true, false, true, true]);
  assert.deepEqual(traits("claude-3-5-haiku-latest"), [false, false, false, false]);
});

it("knows a service by its host alone, and nobody who only sounds like it", () => {
  assert.equal(serviceOf("https://openrouter.ai/api/v1").effort, "reasoning");
  for (const url of [
    "https://openrouter.ai.example.com/v1",
    "https://example.com/openrouter.ai",
    "http://notopenrouter.ai",
  ])
    assert.equal(serviceOf(url).effort, "reasoning_effort", url);
  assert.equal(serviceOf(undefined).cacheKey, "prompt_cache_key");
});

it("knows which services find calls themselves, and which want each thought back", () => {
  const traits = (url: string) => {
    const { findsCalls = false, wantsThoughts = false } = serviceOf(url);
    return [findsCalls, wantsThoughts];
  };
  assert.deepEqual(traits("https://api.deepseek.com"), [true, true]);
  assert.deepEqual(traits("https://api.moonshot.cn/v1"), [true, true]);
  assert.deepEqual(traits("https://api.groq.com/openai/v1"), [true, false]);
  assert.deepEqual(traits("https://eu-aiplatform.googleapis.com/v1"), [true, false]);
  assert.deepEqual(traits("http://127.0.0.1:8000/v1"), [false, false]);
});

it("knows that no model before the first that reasoned does", () => {
  for (const model of ["gpt-3.5-turbo", "gpt-4", "gpt-4.1-mini", "gpt-4o", "chatgpt-4o-latest", "gpt-5-chat-latest"])
    assert.equal(familyOf(model)?.never, true, model);
});

it("claims no window that a model may outgrow", () => {
  assert.equal(largestWindowOf("moonshot-v1-8k"), 8_192);
  assert.equal(largestWindowOf("openai/gpt-oss-120b"), 131_072);
  for (const model of ["gpt-4", "gpt-5.6", "claude-opus-5", "gemini-3-pro-preview", "llama3.3", "demo"])
    assert.equal(largestWindowOf(model), Number.POSITIVE_INFINITY, model);
});
