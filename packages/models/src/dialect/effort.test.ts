import assert from "node:assert/strict";
import { it } from "node:test";
import { words } from "@talaria/testkit";
import { type DialectCase, dialectCases, startDialectPeer } from "../dialects.fixture.ts";
import { answerOf } from "../model.fixture.ts";
import { effortOf } from "./effort.ts";

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

/** What is found in the body for `high`, and for `max`. */
const onTheWire: Readonly<Record<DialectCase["dialect"], readonly [high: RegExp, max: RegExp]>> = {
  "openai-chat": [/"reasoning_effort":"high"/, /"reasoning_effort":"max"/],
  "openai-responses": [/"reasoning":\{"effort":"high"/, /"reasoning":\{"effort":"max"/],
  anthropic: [
    /"output_config":\{"effort":"high"\},"thinking":\{"type":"adaptive"/,
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
