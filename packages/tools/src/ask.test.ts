import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type Sender } from "@talaria/protocol";
import { ask } from "./ask.ts";
import { contextOf } from "./testing/tool-call.ts";

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
  assert.deepEqual(ask.input.parse({ ...input, choices: ["a\n b", "c"] }), { ...input, choices: ["a b", "c"] });
});
