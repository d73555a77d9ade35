import assert from "node:assert/strict";
import { it } from "node:test";
import { instantOf } from "@talaria/protocol";
import type { TurnDeps } from "./index.ts";
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
  assert.equal(resultsOf(journal).filter((text) => /5 calls wait for approval already/.test(text)).length, 1);
});
