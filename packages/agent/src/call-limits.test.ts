import assert from "node:assert/strict";
import { it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { z } from "zod";
import { defineTool, type ModelPort, type Tool, type TurnDeps } from "./index.ts";
import { calls, late, play, resultsOf, said, says, scriptedModel, tool, turnDeps, turnInput } from "./turn.fixture.ts";

const expiresAt = instantOf(1_790_000_600_000);
const authorise: NonNullable<TurnDeps["authorise"]> = ({ call }) => ({
  ...{ decision: "ask", rule: "test", approver: "owner", expiresAt },
  shown: `run ${call.arguments}?`,
});

it("people are asked five questions at a time, also where the model has gone on without the answers", async () => {
  const tools = [tool("ask", "write", () => "done")];
  const some = (from: number) => calls(...[0, 1, 2].map((n) => ["ask", `{"n":${from + n}}`] as const));
  const model = scriptedModel(some(0), some(3), says("They wait."));
  const deps = turnDeps(model, { authorise, steering: late([], [said("and the others?")]) });
  const { journal } = await play(turnInput({ tools }), deps);
  const asked = journal.filter(({ kind }) => kind === "tool.waiting");
  assert.equal(asked.length, 5);
  assert.equal(resultsOf(journal).filter((text) => /5 questions wait for people already/.test(text)).length, 1);
});

it("what people are asked to choose counts as what they are asked to approve, from this turn and from earlier ones", async () => {
  const approved = tool("run", "write", () => "done");
  const onlyRun: typeof authorise = (asked) => (asked.tool.name === "run" ? authorise(asked) : { decision: "allow" });
  const choose = (n: number, name = "choose") => Array.from({ length: n }, () => [name, "{}"] as const);
  const of = async (model: ModelPort, questions: number) => {
    const input = turnInput({ tools: [approved, choosing("choose"), choosing("offer")], questions });
    const { journal } = await play(input, turnDeps(model, { authorise: onlyRun }));
    return {
      waiting: journal.filter(({ kind }) => kind === "tool.waiting").length,
      refused: resultsOf(journal).filter((text) => /nobody was asked. 5 questions wait for people already/.test(text)),
    };
  };
  const many = await of(scriptedModel(calls(...choose(64))), 0);
  assert.deepEqual([many.waiting, many.refused.length], [5, 59]);
  const mixed = await of(scriptedModel(calls(["run", "{}"], ...choose(3))), 3);
  assert.deepEqual([mixed.waiting, mixed.refused.length], [2, 2]);
  const full = await of(scriptedModel(calls(...choose(1), ...choose(1, "offer")), says("I go on.")), 5);
  assert.deepEqual([full.waiting, full.refused.length], [0, 2]);
});

it("questions that wait since an earlier answer of the turn leave no room in a later one", async () => {
  const model = scriptedModel(calls("choose", "choose", "choose"), calls("choose", "choose", "choose"), says("OK."));
  const deps = turnDeps(model, { steering: late([], [said("and more?")]) });
  const { journal } = await play(turnInput({ tools: [choosing("choose")] }), deps);
  assert.equal(journal.filter(({ kind }) => kind === "tool.waiting").length, 5);
});

function choosing(name: string): Tool {
  return defineTool({
    ...{ name, description: name, effect: "read", permissions: [], input: z.strictObject({}), asksPeople: true },
    execute: async () => ({ waitsFor: "form" as const, shown: "Which?", expiresAt }),
  });
}
