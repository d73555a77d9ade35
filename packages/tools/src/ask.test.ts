import assert from "node:assert/strict";
import { it } from "node:test";
import { type Tool, toolSpecs } from "@talaria/agent";
import { askedQuestion, brandAs, type Sender } from "@talaria/protocol";
import { ask } from "./ask.ts";
import { offerChoices } from "./offer-choices.ts";
import { call, contextOf } from "./testing/tool-call.ts";

const input = { question: "Which colour?", choices: ["Red", "Blue"] };
const ada: Sender = { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform" };

it("waits for a day for the answer of a person", async () => {
  const context = contextOf({ requesters: [ada] });
  const answer = await ask.execute(ask.input.parse(input), context);
  assert.deepEqual(answer, {
    waitsFor: "form",
    shown: "Which colour?",
    expiresAt: new Date(context.now() + 86_400_000).toISOString(),
  });
});

it("asks nobody where no person could answer", async () => {
  for (const requesters of [[], [{ ...ada, role: "system" as const }], [{ ...ada, assurance: "claimed" as const }]])
    await assert.rejects(async () => ask.execute(ask.input.parse(input), contextOf({ requesters })), /no person/);
});

it("takes 2 to 8 different choices of one line", () => {
  const choices = (given: readonly string[]) => ask.input.safeParse({ ...input, choices: given }).success;
  for (const given of [
    ["a"],
    ["a", " a"],
    ["a", " "],
    Array.from({ length: 9 }, (_, n) => `${n}`),
    ["a", "b".repeat(81)],
  ])
    assert.equal(choices(given), false, given.join());
  assert.deepEqual(ask.input.parse({ ...input, choices: ["a\n b", "c"] }), {
    ...input,
    choices: ["a b", "c"],
    wait: true,
  });
});

it("puts the question below the reply where nothing waits, also where no person asks, with ids of its call alone", async () => {
  const of = async (tool: Tool, given: object, callId: string) =>
    (await call(tool, given, contextOf({ callId, idempotencyKey: `t:${callId}` }))).reply?.choices;
  const asked = await of(ask, { ...input, wait: false }, "c1");
  assert.equal(asked?.question, "Which colour?");
  assert.deepEqual(
    asked?.options.map(({ label }) => label),
    ["Red", "Blue"],
  );
  assert.deepEqual(await of(ask, { ...input, wait: false }, "c1"), asked);
  assert.notDeepEqual(await of(ask, { ...input, wait: false }, "c2"), asked);
  // As older releases have asked, in a turn that goes on here.
  const options = input.choices.map((label) => ({ label }));
  assert.deepEqual(await of(offerChoices, { question: input.question, options }, "c1"), asked);
});

it("reads what older releases have asked, and is the only one of the two that models are shown", () => {
  const asked = { name: "ask", arguments: JSON.stringify(input) };
  assert.deepEqual(askedQuestion(asked)?.choices, input.choices);
  assert.deepEqual(
    toolSpecs([ask, offerChoices]).map(({ name }) => name),
    ["ask"],
  );
});
