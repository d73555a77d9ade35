import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "@talaria/protocol";
import { type WireAnswer, wireCalls, words } from "@talaria/testkit";
import { z } from "zod";
import { dialectCases, startDialectPeer, tokenDialectCases } from "./dialects.fixture.ts";
import { createFailover } from "./index.ts";
import { testClock } from "./model.fixture.ts";
import { lookTool, playTurn } from "./turn.fixture.ts";

const cases = [...dialectCases, ...tokenDialectCases];
const tools = [lookTool(z.object({ path: z.string() }))];

describe("a conversation that another dialect takes over in the middle of a turn", () => {
  for (const first of cases)
    for (const second of cases.filter((other) => other !== first))
      it(`keeps its results and carries nothing foreign: ${first.dialect} to ${second.dialect}`, async () => {
        const asks: WireAnswer = [
          { kind: "thought", text: "hm", proof: "proof-of-the-first" },
          ...words("Let me see."),
          ...wireCalls(["read", { path: "one" }], ["read", { path: "two" }]),
        ];
        const rounds: WireAnswer[] = [asks, [{ kind: "refuse", why: "quota" }]];
        await using one = await startDialectPeer(first, { respond: () => rounds.shift() ?? words("again the first") });
        await using two = await startDialectPeer(second, { respond: () => words("the second says") });
        const models = [
          { name: "one", model: one.model },
          { name: "two", model: two.model },
        ];
        const clock = testClock();
        const model = createFailover(models, { clock, random: () => 0, log: silentLog });
        const turn = await playTurn(model, [], { number: 1, tools, steering: "hurry up" });
        assert.equal(turn.outcome.status === "completed" && turn.outcome.markdown, "the second says");
        const [taken] = two.server.requests;
        const body = JSON.stringify(taken?.body);
        for (const known of ["Let me see.", "content of one", "content of two", "hurry up"])
          assert.ok(body.includes(known), known);
        assert.ok(!body.includes("proof-of-the-first"));
        clock.nowMs += 2 * 3_600_000;
        const next = await playTurn(model, turn.journal, { number: 2, tools });
        assert.equal(next.outcome.status === "completed" && next.outcome.markdown, "again the first");
        assert.ok(JSON.stringify(one.server.requests.at(-1)?.body).includes("the second says"));
        assert.deepEqual([...one.server.flaws, ...two.server.flaws], []);
      });
});
