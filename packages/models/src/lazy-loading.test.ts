import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { it } from "node:test";

const packages = [
  "openai",
  "@anthropic-ai/sdk",
  "@ai-sdk/google",
  "@ai-sdk/google/internal",
  "@ai-sdk/mistral",
  "@ai-sdk/amazon-bedrock",
  "@ai-sdk/provider",
];
const needed: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  anthropic: "@anthropic-ai/sdk",
  google: "@ai-sdk/google",
  mistral: "@ai-sdk/mistral",
  bedrock: "@ai-sdk/amazon-bedrock",
  chatgpt: "openai",
  vertex: "@ai-sdk/google/internal",
  "anthropic-on-vertex": "@anthropic-ai/sdk",
};

it("loads a provider's package with the first request to its model, not before, and no other", async () => {
  const loaded = new Set<string>();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (packages.includes(specifier)) loaded.add(specifier);
      return next(specifier, context);
    },
  });
  const { dialectCases, startDialectPeer, tokenDialectCases } = await import("./dialects.fixture.ts");
  const { answerOf } = await import("./model.fixture.ts");
  const peers = [];
  for (const dialectCase of [...dialectCases, ...tokenDialectCases])
    peers.push({ dialectCase, peer: await startDialectPeer(dialectCase) });
  try {
    assert.deepEqual([...loaded], [], "everything is configured and nothing is loaded");
    for (const { dialectCase, peer } of peers) {
      const before = new Set(loaded);
      assert.equal((await answerOf(peer.model)).text, "Hello, dear world");
      const news = [...loaded].filter((name) => !before.has(name) && name !== "@ai-sdk/provider");
      const wanted = needed[dialectCase.dialect] ?? "";
      assert.deepEqual(news, before.has(wanted) ? [] : [wanted], dialectCase.dialect);
    }
  } finally {
    // What goes on listening would keep the process from ending when an expectation is not met.
    for (const { peer } of peers) await peer[Symbol.asyncDispose]();
    hooks.deregister();
  }
});
