import assert from "node:assert/strict";
import { it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { callTools, type ModelScript, modelFault, say, toolCallQuirk } from "@talaria/testkit";
import { z } from "zod";
import { startPeer } from "./model.fixture.ts";
import { lookTool, playTurn } from "./turn.fixture.ts";

const tools = [lookTool(z.object({ path: z.string() }))];

it("sends bytes that begin every request with the one before, over thirty turns against a strict server", async () => {
  let script: readonly ModelScript[] = [];
  await using peer = await startPeer({ respond: () => script[0] ?? say("never") });
  let history: readonly TranscriptEntry[] = [];
  for (let turn = 1; turn <= 30; turn += 1) {
    const first =
      turn % 3 === 0
        ? toolCallQuirk.brokenArguments("read")
        : callTools(["read", { path: `${turn}` }], ["read", { path: "b" }]);
    const rounds: ModelScript[] = [
      first,
      ...(turn % 7 === 0 ? [modelFault.errorAfter("hal")] : []),
      say(`Answer ${turn}`),
    ];
    peer.server.respondWith(() => {
      script = rounds.splice(0, 1);
      return script[0] ?? say("never");
    });
    const { journal, outcome } = await playTurn(peer.model, history, { number: turn, tools });
    assert.equal(outcome.status === "completed" && outcome.markdown, `Answer ${turn}`);
    history = [...history, ...journal];
  }
  const bodies = peer.server.requests.map(({ body }) =>
    JSON.stringify([body.tools, ...(body.messages as unknown[])]).slice(0, -1),
  );
  assert.ok(bodies.length > 60);
  for (const [index, body] of bodies.entries()) assert.ok(body.startsWith(bodies[index - 1] ?? ""), `request ${index}`);
});
