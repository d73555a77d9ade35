import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startDialectServer, startOllamaServer } from "@talaria/testkit";
import { listModels } from "../list-models.ts";
import { listOllama, ollamaWindow, showOllama, widenedName, widenOllama } from "./ollama.ts";

const { signal } = new AbortController();
const models = {
  "qwen3:8b": { hasTools: true, longestTokens: 40_960 },
  "gemma:2b": { hasTools: false, longestTokens: 8_192 },
};

describe("an Ollama", () => {
  it("lists its models, and says what they can", async () => {
    await using server = await startOllamaServer({ models });
    assert.deepEqual(await listOllama(server.url, signal), ["qwen3:8b", "gemma:2b"]);
    assert.deepEqual(await showOllama(server.url, "qwen3:8b", signal), { hasTools: true, longestTokens: 40_960 });
    assert.equal((await showOllama(server.url, "gemma:2b", signal)).hasTools, false);
    assert.deepEqual(await showOllama(server.url, "missing", signal), {});
    const chat = { provider: "openai-chat", baseUrl: `${server.url}/v1` } as const;
    assert.equal((await listModels(chat, signal))?.length, 2);
    await assert.rejects(listModels({ ...chat, baseUrl: server.url }, signal), /status 404.*check the base URL/);
  });

  it("says in which window a model reads once it is loaded, and makes a copy with a larger one", async () => {
    await using server = await startOllamaServer({ models });
    const ask = (model: string) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hi" }] }),
      }).then((response) => response.text());
    assert.equal(await ollamaWindow(server.url, "qwen3:8b", signal), undefined);
    await ask("qwen3:8b");
    assert.equal(await ollamaWindow(server.url, "qwen3:8b", signal), 4_096);
    const copy = widenedName("qwen3:8b", 32_768);
    await widenOllama(server.url, { model: "qwen3:8b", copy, windowTokens: 32_768 }, signal);
    await ask(copy);
    assert.equal(await ollamaWindow(server.url, copy, signal), 32_768);
    const missing = { model: "missing", copy: "other", windowTokens: 32_768 };
    await assert.rejects(widenOllama(server.url, missing, signal), /did not make other \(status 404\)/);
  });

  it("is told from another server, and from none", async () => {
    const server = await startDialectServer({ dialect: "openai-chat" });
    const { url } = server;
    await assert.rejects(listOllama(url, signal), /is no Ollama/);
    await server.stop();
    await assert.rejects(listOllama(url, signal), { code: "unavailable" });
  });
});
