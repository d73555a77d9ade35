import assert from "node:assert/strict";
import { it } from "node:test";
import { type DialectRequest, type WireAnswer, words } from "@talaria/testkit";
import { dialectCases, startDialectPeer } from "../dialects.fixture.ts";
import { answerOf } from "../model.fixture.ts";

const responses = dialectCases.find(({ dialect }) => dialect === "openai-responses");
if (responses === undefined) throw new Error("the Responses API is one of the dialects");

function reasoningOf({ body }: DialectRequest): unknown {
  return body.reasoning;
}

it("asks models that reason for a summary of it, and no others", async () => {
  await using peer = await startDialectPeer(responses, { respond: () => words("ok") });
  for (const config of [
    {},
    { effort: "high" },
    { model: "o4-mini" },
    { model: "gpt-4.1" },
    { model: "gpt-5-chat-latest" },
  ])
    await answerOf(peer.modelWith(config as object));
  assert.deepEqual(peer.server.requests.map(reasoningOf), [
    { summary: "auto" },
    { effort: "high", summary: "auto" },
    { summary: "auto" },
    undefined,
    undefined,
  ]);
  assert.deepEqual(peer.server.flaws, []);
});

it("asks for none any more once an organisation is refused it", async () => {
  const message = "Your organization must be verified to generate reasoning summaries.";
  const error = { message, type: "invalid_request_error", param: "reasoning.summary", code: "unsupported_value" };
  const refused: WireAnswer = [
    { kind: "raw", status: 400, contentType: "application/json", pieces: [JSON.stringify({ error })] },
  ];
  const respond = (asked: DialectRequest) =>
    JSON.stringify(reasoningOf(asked))?.includes("summary") ? refused : words("ok");
  await using peer = await startDialectPeer(responses, { respond }, { effort: "high" });
  assert.equal((await answerOf(peer.model)).text, "ok");
  assert.equal((await answerOf(peer.model)).text, "ok");
  const asked = peer.server.requests.map(reasoningOf);
  assert.deepEqual(asked, [{ effort: "high", summary: "auto" }, { effort: "high" }, { effort: "high" }]);
});
