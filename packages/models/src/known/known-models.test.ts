import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { knownModel, knownSince } from "./known-models.ts";

describe("what is known of a model before it is asked", () => {
  it("is found by its name, by a dated version of it and by the longest beginning of it", () => {
    const { price, contextTokens } = knownModel("anthropic", "claude-opus-5");
    assert.equal(contextTokens, 1_000_000);
    assert.deepEqual(price, { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 });
    assert.deepEqual(knownModel("anthropic", "claude-opus-5-20260501").price, price);
    assert.deepEqual(knownModel("openai", "gpt-5.6"), knownModel("openai", "gpt-5.6-sol"));
    assert.notDeepEqual(knownModel("openai", "gpt-5.6"), knownModel("openai", "gpt-5.6-luna"));
    assert.deepEqual(knownModel("deepseek", "DeepSeek-V4-Pro-2611"), knownModel("deepseek", "deepseek-v4-pro"));
  });

  it("is nothing for a name that nobody has heard of, or of another service", () => {
    assert.deepEqual(knownModel("openai", "gpt-99"), {});
    assert.deepEqual(knownModel("openai", "claude-opus-5"), {});
    assert.deepEqual(knownModel("groq", ""), {});
  });

  it("takes the dearest price of a model whose price changes with the hour", () => {
    assert.deepEqual(knownModel("deepseek", "deepseek-v4-pro").price, {
      input: 1.32,
      output: 3.96,
      cachedInput: 0.044,
    });
  });

  it("says of which day it is", () => {
    assert.match(knownSince.date, /^\d{4}-\d\d-\d\d$/);
  });
});
