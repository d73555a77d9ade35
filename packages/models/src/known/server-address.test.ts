import assert from "node:assert/strict";
import { it } from "node:test";
import { ollamaAddress, widenedName } from "./ollama.ts";
import { addressesMeant } from "./server-address.ts";

it("is tried as it was typed, and with or without /v1", () => {
  const cases = [
    ["http://h:8000", "http://h:8000", "http://h:8000/v1"],
    ["http://h:8000/v1/", "http://h:8000/v1", "http://h:8000"],
    [" localhost:8000 ", "http://localhost:8000", "http://localhost:8000/v1"],
    ["192.168.1.5:8000/v1", "http://192.168.1.5:8000/v1", "http://192.168.1.5:8000"],
    ["api.example.com", "https://api.example.com", "https://api.example.com/v1"],
    ["https://x.example/openai/v1/chat/completions?a=1#b", "https://x.example/openai/v1", "https://x.example/openai"],
  ] as const;
  for (const [typed, first, second] of cases) assert.deepEqual(addressesMeant(typed), [first, second], typed);
});

it("is no address when it is none", () => {
  for (const typed of ["", "   ", "file:///etc/passwd", "http://", "javascript:alert(1)", "ht tp://x"])
    assert.deepEqual(addressesMeant(typed), [], typed);
});

it("is found where Ollama's own variable says, however short that is", () => {
  assert.equal(ollamaAddress(undefined), "http://127.0.0.1:11434");
  assert.equal(ollamaAddress(""), "http://127.0.0.1:11434");
  assert.equal(ollamaAddress("0.0.0.0"), "http://127.0.0.1:11434");
  assert.equal(ollamaAddress("box:4000"), "http://box:4000");
  assert.equal(ollamaAddress("https://box.example"), "https://box.example");
});

it("names a copy by its window", () => {
  assert.equal(widenedName("qwen3:8b", 32_768), "qwen3:8b-32k");
  assert.equal(widenedName("llama3.2", 16_384), "llama3.2:16k");
  assert.equal(widenedName("hf.co/owner/model:latest", 32_768), "hf.co/owner/model:32k");
});
