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

it("takes choices that people can tell apart, and shows nothing hidden of them", () => {
  for (const given of [
    ["Yes", "Ye\u200bs"],
    ["Yes", "Ye\u200ds"],
    ["Yes", "\u202eYes"],
    ["Yes", "\u{e0041}\u{e0042}"],
    ["Yes", "\u200b"],
    ["Yes", "\u2800"],
  ])
    assert.equal(ask.input.safeParse({ ...input, choices: given }).success, false, JSON.stringify(given));
  assert.equal(ask.input.safeParse({ ...input, question: " \u200b " }).success, false);
  const choices = ["\u202eseY\u202c", "👩‍👩‍👧 נעם", "N\u0000o"];
  const asked = ask.input.parse({ ...input, choices }) as typeof input;
  assert.deepEqual(asked.choices, ["seY", "👩‍👩‍👧 נעם", "No"]);
  const options = choices.map((label) => ({ label }));
  const former = offerChoices.input.parse({ question: "Which?", options }) as { options: typeof options };
  assert.deepEqual(
    former.options.map(({ label }) => label),
    asked.choices,
  );
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
