import assert from "node:assert/strict";
import { it } from "node:test";
import { instantOf } from "@talaria/protocol";
import type { Tool, TurnDeps } from "./index.ts";
import { calls, play, resultsOf, says, scriptedModel, tool, turnDeps, turnInput } from "./turn.fixture.ts";

const authorise: NonNullable<TurnDeps["authorise"]> = ({ call }) => ({
  ...{ decision: "ask", rule: "test", approver: "owner", expiresAt: instantOf(1_790_000_600_000) },
  shown: `run ${call.arguments}?`,
});

function sending(obstacle: NonNullable<Tool["obstacle"]>): Tool {
  return { ...tool("send", "write", () => "sent"), obstacle };
}

it("nobody is asked about a call that its tool knows can't take effect; the model reads why", async () => {
  const seen: unknown[] = [];
  const send = sending(async (input, { requesters, roles }) => {
    seen.push([input, requesters.map(({ userId }) => roles.get(userId))]);
    return (input as { n: number }).n === 1 ? "there is no such conversation" : undefined;
  });
  const model = scriptedModel(calls(["send", '{"n":1}'], ["send", '{"n":2}']), says("One waits."));
  const { journal } = await play(turnInput({ tools: [send] }), turnDeps(model, { authorise }));
  assert.deepEqual(
    journal.filter((entry) => entry.kind === "tool.waiting").map(({ shown }) => shown),
    ['run {"n":2}?'],
  );
  assert.deepEqual(resultsOf(journal), ["Error: there is no such conversation"]);
  assert.deepEqual(
    seen.map((one) => (one as unknown[])[0]),
    [{ n: 1 }, { n: 2 }],
  );
  assert.ok(seen.every((one) => ((one as unknown[])[1] as unknown[]).length > 0));
});

it("people are asked where looking fails, and nothing is looked at where nobody has to be asked", async () => {
  let looked = 0;
  const send = sending(async () => {
    looked += 1;
    throw new Error("the database is away");
  });
  const asked = scriptedModel(calls(["send", "{}"]), says("It waits."));
  const one = await play(turnInput({ tools: [send] }), turnDeps(asked, { authorise }));
  assert.ok(one.journal.some(({ kind }) => kind === "tool.waiting"));
  const free = scriptedModel(calls(["send", "{}"]), says("Done."));
  const other = await play(turnInput({ tools: [send] }), turnDeps(free));
  assert.deepEqual(resultsOf(other.journal), ["sent"]);
  assert.equal(looked, 1);
});
