import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { type DialectRequest, type WireAnswer, wireCalls, words } from "@talaria/testkit";
import { z } from "zod";
import { dialectCases, startDialectPeer, tokenDialectCases } from "./dialects.fixture.ts";
import { lookTool, playTurn } from "./turn.fixture.ts";

const cases = [...dialectCases, ...tokenDialectCases];
const tools = [lookTool(z.object({ path: z.string() }))];
const turns = 30;

describe("a session over thirty turns with tools, steering and failures", () => {
  for (const dialectCase of cases)
    it(`begins each request with the bytes of the one before: ${dialectCase.dialect}`, async () => {
      let rounds: WireAnswer[] = [];
      await using peer = await startDialectPeer(dialectCase, { respond: () => rounds.shift() ?? words("never") });
      let history: readonly TranscriptEntry[] = [];
      for (let turn = 1; turn <= turns; turn += 1) {
        rounds = roundsOf(turn, dialectCase.cannot["broken arguments"] === undefined);
        const steering = turn % 4 === 0 ? { steering: `and also ${turn}` } : {};
        const { journal, outcome } = await playTurn(peer.model, history, { number: turn, tools, ...steering });
        // A model that fails all the time ends the turn; nobody retries here.
        assert.equal(outcome.status, turn % 7 === 0 ? "failed" : "completed", `turn ${turn}`);
        history = [...history, ...(JSON.parse(JSON.stringify(journal)) as TranscriptEntry[])];
      }
      assert.deepEqual(peer.server.flaws, []);
      assert.ok(peer.server.requests.length >= 2 * turns);
      const bodies = peer.server.requests.map(linesOf);
      for (const [index, lines] of bodies.entries()) {
        const before = bodies[index - 1];
        if (before === undefined) continue;
        const [last, lastBefore] = [before.length - 1, before.at(-1) ?? ""];
        assert.deepEqual(lines.slice(0, last), before.slice(0, -1), `request ${index}`);
        // Words may be added to the last message of people, which only its closing marks follow.
        assert.ok(lines[last]?.startsWith(lastBefore.replace(/["}\]]+$/, "")), `request ${index}: ${lastBefore}`);
      }
      const last = String(bodies.at(-1));
      assert.ok(last.includes("and also 28") && last.includes("content of 29"));
      if (dialectCase.cannot["thought proof"] === undefined) assert.ok(last.includes("proof-2"));
      if (dialectCase.dialect === "openai-chat") assert.ok(last.includes('"reasoning_content":"hm"'));
    });
});

function roundsOf(turn: number, mayBeBroken: boolean): WireAnswer[] {
  const thought = turn % 2 === 0 ? [{ kind: "thought", text: "hm", proof: `proof-${turn}` } as const] : [];
  const ids = [`a${turn}`.padStart(9, "0"), `b${turn}`.padStart(9, "0")] as const;
  const calls =
    mayBeBroken && turn % 3 === 0
      ? wireCalls(["read", '{"path": "a', ids[0]])
      : wireCalls(["read", { path: `${turn}` }, ids[0]], ["read", { path: "b" }, ids[1]]);
  const asks: WireAnswer = [...thought, ...(turn % 5 === 0 ? words("Let me see.") : []), ...calls];
  const ending: WireAnswer =
    turn % 7 === 0
      ? [{ kind: "refuse", why: "not_found" }]
      : turn % 6 === 0
        ? [...thought, ...words("So.")]
        : words("Done.");
  return [asks, ending, words("And that.")];
}

/** Everything that a provider caches, one line for each block, in the order it is rendered in. */
function linesOf({ body }: DialectRequest): readonly string[] {
  const system = body.instructions ?? body.system ?? body.systemInstruction;
  const messages = (body.messages ?? body.input ?? body.contents) as readonly Record<string, unknown>[];
  return [
    JSON.stringify(body.tools ?? body.toolConfig),
    JSON.stringify(system),
    ...messages.flatMap((message) => {
      const blocks = message.content ?? message.parts;
      if (!Array.isArray(blocks)) return JSON.stringify(message);
      const said = blocks.filter((block: object) => !("cachePoint" in block));
      // On Vertex AI, the mark of the cache moves along with the end.
      return said.map(({ cache_control: _, ...block }) => `${message.role} ${JSON.stringify(block)}`);
    }),
  ];
}
