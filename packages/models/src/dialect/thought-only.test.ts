import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ServedDialect, type WireAnswer, words } from "@talaria/testkit";
import { type DialectCase, dialectCases, startDialectPeer, tokenDialectCases } from "../dialects.fixture.ts";
import { answerOf, request } from "../model.fixture.ts";
import type { RemoteConfig } from "../model-config.ts";

const thought: WireAnswer = [
  { kind: "thought", text: "hm", proof: "proof-1" },
  { kind: "stop", why: "length" },
];
const refused: WireAnswer = [
  {
    kind: "raw",
    status: 400,
    contentType: "application/json",
    pieces: ['{"error":{"message":"Invalid max_tokens","type":"invalid_request_error"}}'],
  },
];

/** Where each dialect has its output limit and its effort. */
const places: Readonly<Record<ServedDialect, readonly [limit: RegExp, effort: RegExp]>> = {
  "openai-chat": [/"max_tokens":(\d+)/, /"reasoning_effort":"(\w+)"/],
  "openai-responses": [/"max_output_tokens":(\d+)/, /"effort":"(\w+)"/],
  anthropic: [/"max_tokens":(\d+)/, /"effort":"(\w+)"/],
  google: [/"maxOutputTokens":(\d+)/, /"thinkingLevel":"(\w+)"/],
  mistral: [/"max_tokens":(\d+)/, /"reasoning_effort":"(\w+)"/],
  bedrock: [/"maxTokens":(\d+)/, /"effort":"(\w+)"/],
  chatgpt: [/"max_output_tokens":(\d+)/, /"effort":"(\w+)"/],
  vertex: [/"maxOutputTokens":(\d+)/, /"thinkingLevel":"(\w+)"/],
  "anthropic-on-vertex": [/"max_tokens":(\d+)/, /"effort":"(\w+)"/],
};

/** Plays answers; says what came of it, and with which limit and effort each was asked for. */
async function play(
  dialectCase: DialectCase<ServedDialect>,
  answers: readonly WireAnswer[],
  config: Partial<RemoteConfig>,
  maxOutputTokens?: number,
) {
  const left = [...answers];
  await using peer = await startDialectPeer(dialectCase, { respond: () => left.shift() ?? [] }, config);
  const answer = await answerOf(peer.model, request(maxOutputTokens === undefined ? {} : { maxOutputTokens }));
  assert.deepEqual(peer.server.flaws, []);
  const asked = peer.server.requests.map(({ body }) =>
    places[dialectCase.dialect].map((place) => place.exec(JSON.stringify(body))?.[1]),
  );
  return { ...answer, asked };
}

const [plan, ...onVertex] = tokenDialectCases;

for (const dialectCase of [...dialectCases, ...onVertex])
  describe(`an answer of nothing but thoughts, cut at its output limit: ${dialectCase.dialect}`, () => {
    it("is asked for once more with twice the limit, as far as the configuration allows", async () => {
      const { text, end, asked } = await play(dialectCase, [thought, words("yes")], { maxOutputTokens: 3_000 }, 2_000);
      assert.equal(text, "yes");
      assert.equal(end.type, "done");
      assert.deepEqual(
        asked.map(([limit]) => limit),
        ["2000", "3000"],
      );
    });

    const skip = dialectCase.dialect === "mistral" && "knows no less effort";
    it("is asked for once more with less effort at the configured limit", { skip }, async () => {
      const { end, asked } = await play(dialectCase, [thought, words("yes")], {
        maxOutputTokens: 3_000,
        effort: "high",
      });
      assert.equal(end.type, "done");
      assert.deepEqual(
        asked.map(([limit]) => limit),
        ["3000", "3000"],
      );
      const [first, second] = asked.map(([, effort]) => effort);
      assert.ok(first !== second, `${first} ${second}`);
    });

    it("is a failure of its own when it comes again", async () => {
      const { end, asked } = await play(
        dialectCase,
        [thought, thought, words("never")],
        { maxOutputTokens: 3_000 },
        1_000,
      );
      assert.deepEqual(end.type === "failed" && [end.error.kind, end.error.visible], ["thought_only", false]);
      assert.equal(asked.length, 2);
    });
  });

const [chat, , anthropic] = dialectCases;

it("is asked for with less effort at once where no limit can be set: a ChatGPT plan", async () => {
  assert.ok(plan);
  const usage = { kind: "usage", usage: { input: 1, cached: 0, output: 4_096, reasoning: 4_096 } } as const;
  const { text, asked } = await play(plan, [[usage, ...thought], words("yes")], { effort: "high" }, 2_000);
  assert.equal(text, "yes");
  assert.deepEqual(asked, [
    [undefined, "high"],
    [undefined, "medium"],
  ]);
});

it("takes the limit that is ours for none, and what was used for the server's own", async () => {
  assert.ok(chat && anthropic);
  const ours = await play(anthropic, [thought, words("yes")], {});
  assert.deepEqual(
    ours.asked.map(([limit]) => limit),
    ["16384", "32768"],
  );
  const usage = { kind: "usage", usage: { input: 1, cached: 0, output: 4_096, reasoning: 4_096 } } as const;
  const theirs = await play(chat, [[usage, ...thought], words("yes")], {});
  assert.deepEqual(
    theirs.asked.map(([limit]) => limit),
    [undefined, "8192"],
  );
});

it("says what happened when the model takes no larger limit, and asks no further", async () => {
  assert.ok(anthropic);
  const { end, asked } = await play(anthropic, [thought, refused, words("never")], {});
  assert.equal(end.type === "failed" && end.error.kind, "thought_only");
  assert.equal(asked.length, 2);
});

it("asks only once where neither more room nor less effort can be had", async () => {
  assert.ok(chat);
  const { end, asked } = await play(chat, [thought, words("never")], { maxOutputTokens: 100, effort: "low" });
  assert.equal(end.type === "failed" && end.error.kind, "thought_only");
  assert.equal(asked.length, 1);
});

it("leaves an answer that has words or calls as it is, however it was cut", async () => {
  assert.ok(chat);
  const { end, asked } = await play(chat, [[...words("half"), { kind: "stop", why: "length" }]], {});
  assert.equal(end.type === "done" && end.stop, "max_tokens");
  assert.equal(asked.length, 1);
});
