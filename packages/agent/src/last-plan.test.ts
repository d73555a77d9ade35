import assert from "node:assert/strict";
import { it } from "node:test";
import { z } from "zod";
import { defineTool } from "./index.ts";
import { calls, play, resultsOf, said, says, scriptedModel, turnDeps, turnInput } from "./turn.fixture.ts";

/** Adds to what was planned before. */
const plan = defineTool({
  name: "plan",
  description: "plan",
  effect: "read",
  isOrdered: true,
  permissions: [],
  input: z.strictObject({ add: z.string() }),
  async execute({ add }, { plan: before = "" }) {
    await new Promise((resolve) => setImmediate(resolve));
    return { content: `${before}${add}`, did: [{ kind: "planned", plan: `${before}${add}` }] };
  },
});
const slow = defineTool({
  name: "slow",
  description: "slow",
  effect: "read",
  permissions: [],
  input: z.strictObject({}),
  async execute() {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { content: "slow" };
  },
});
const adding = (add: string): [string, string] => ["plan", JSON.stringify({ add })];

it("hands what was planned last to the next call, also of the same answer, and behind one that still runs", async () => {
  const model = scriptedModel(calls(adding("a")), calls(["slow", "{}"], adding("b"), adding("c")), says("Done."));
  const { journal } = await play(turnInput({ tools: [plan, slow] }), turnDeps(model));
  assert.deepEqual(resultsOf(journal), ["a", "slow", "ab", "abc"]);
  const next = await play(
    turnInput({ tools: [plan], history: journal, journal: [said("go on")] }),
    turnDeps(scriptedModel(calls(adding("d")), says("Done."))),
  );
  assert.deepEqual(resultsOf(next.journal), ["abcd"]);
});
