import assert from "node:assert/strict";
import { it } from "node:test";
import { type ServedDialect, wireCalls, words } from "@talaria/testkit";
import { dialectCases, startDialectPeer, tokenDialectCases } from "../dialects.fixture.ts";
import { answerOf, request } from "../model.fixture.ts";

/** The words that forbid calls. Converse has none. */
const forbidden: Readonly<Record<ServedDialect, RegExp>> = {
  "openai-chat": /"tool_choice":"none"/,
  "openai-responses": /"tool_choice":"none"/,
  anthropic: /"tool_choice":\{"type":"none"\}/,
  google: /"functionCallingConfig":\{"mode":"NONE"\}/,
  mistral: /"tool_choice":"none"/,
  bedrock: /"toolChoice":\{"auto":\{\}\}/,
  chatgpt: /"tool_choice":"none"/,
  vertex: /"functionCallingConfig":\{"mode":"NONE"\}/,
  "anthropic-on-vertex": /"tool_choice":\{"type":"none"\}/,
};

for (const dialectCase of [...dialectCases, ...tokenDialectCases])
  it(`forbids calls without taking the tools away, and has none in the answer: ${dialectCase.dialect}`, async () => {
    const respond = () => [...words("So."), ...wireCalls(["read", {}])];
    await using peer = await startDialectPeer(dialectCase, { respond });
    const { end } = await answerOf(peer.model, request({ toolChoice: "none" }));
    const body = JSON.stringify(peer.server.requests[0]?.body);
    assert.match(body, forbidden[dialectCase.dialect]);
    assert.match(body, /"name":"read"/);
    assert.ok(end.type === "done");
    assert.deepEqual(end.message, { role: "assistant", content: "So.", toolCalls: [] });
    assert.equal(end.stop, "end");
    await answerOf(peer.model, request({ toolChoice: "none", tools: [] }));
    await answerOf(peer.model);
    const [, bare, free] = peer.server.requests.map(({ body: each }) => JSON.stringify(each));
    assert.doesNotMatch(String(bare), /tool_choice|toolChoice|functionCallingConfig/);
    if (dialectCase.dialect !== "bedrock") assert.doesNotMatch(String(free), forbidden[dialectCase.dialect]);
    assert.deepEqual(peer.server.flaws, []);
  });
