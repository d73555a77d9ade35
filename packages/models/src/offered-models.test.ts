import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelsIn } from "./offered-models.ts";

describe("what a server says of its models", () => {
  it("is taken in the words of each service", () => {
    const data = [
      {
        id: "openai/gpt-5.6",
        context_length: 400_000,
        pricing: { prompt: "0.00000125", completion: "0.00001", input_cache_read: "0.000000125" },
      },
      { id: "groq-one", context_window: 131_072 },
      { id: "mistral-one", max_context_length: 32_768, capabilities: { completion_chat: true } },
      { id: "claude-one", max_input_tokens: 1_000_000, capabilities: { batch: { supported: true } } },
      { id: "vllm-one", max_model_len: 40_960 },
      { id: "lm-one", type: "llm", max_context_length: 131_072, loaded_context_length: 4_096 },
      { name: "models/gemini-one", inputTokenLimit: 1_048_576, supportedGenerationMethods: ["generateContent"] },
    ];
    const found = modelsIn({ data });
    assert.deepEqual(found?.[0], {
      name: "openai/gpt-5.6",
      contextTokens: 400_000,
      price: { input: 1.25, output: 10, cachedInput: 0.125 },
    });
    const windows = found?.slice(1).map(({ name, contextTokens }) => [name, contextTokens]);
    assert.deepEqual(windows, [
      ["groq-one", 131_072],
      ["mistral-one", 32_768],
      ["claude-one", 1_000_000],
      ["vllm-one", 40_960],
      ["lm-one", 4_096],
      ["gemini-one", 1_048_576],
    ]);
  });

  it("leaves out what can't chat", () => {
    const data = [
      { id: "embed", type: "embeddings" },
      { id: "ocr", capabilities: { completion_chat: false } },
      { name: "models/embedding-001", supportedGenerationMethods: ["embedContent"] },
      { id: "talks" },
    ];
    assert.deepEqual(modelsIn({ data }), [{ name: "talks" }]);
  });

  it("bears a list with nonsense in it, and refuses what is none", () => {
    const data = [
      null,
      7,
      "x",
      { id: 5 },
      { id: "a".repeat(201) },
      { id: "a\u001b[2Jb" },
      { id: "m", context_length: -1, pricing: { prompt: "no" } },
    ];
    assert.deepEqual(modelsIn({ data }), [{ name: "m" }]);
    for (const body of [null, "x", [], {}, { data: {} }, { error: "Unexpected endpoint" }])
      assert.equal(modelsIn(body), undefined);
    assert.equal(modelsIn({ data: Array.from({ length: 5_000 }, (_, n) => ({ id: `m${n}` })) })?.length, 1_000);
  });
});
