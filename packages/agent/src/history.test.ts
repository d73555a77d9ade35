import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { tokensOf } from "./history.ts";
import { estimateTokens, renderEntries, type TranscriptEntry, trimHistory } from "./index.ts";
import { said } from "./turn.fixture.ts";

const texts = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.integer({ min: 1, max: 3_000 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 1, max: 800 }).map((length) => "漢".repeat(length)),
);

const turns: fc.Arbitrary<readonly TranscriptEntry[]> = fc
  .record({
    question: texts,
    answer: texts,
    results: fc.array(texts, { maxLength: 4 }),
    late: fc.boolean(),
    note: fc.boolean(),
  })
  .map(({ question, answer, results, late, note }) => {
    const call = (n: number) => ({ callId: `c${n}`, name: "look", arguments: JSON.stringify({ text: results[n] }) });
    return [
      said(question),
      ...(results.length === 0
        ? []
        : [
            {
              kind: "assistant",
              content: "",
              toolCalls: results.map((_, n) => call(n)),
              model: "m",
              stop: "tool_calls",
            } as const,
            ...results.map(
              (content, n) =>
                ({ kind: "tool.result", callId: `c${n}`, name: "look", content, isError: false }) as const,
            ),
          ]),
      ...(late ? [said("late")] : []),
      ...(note
        ? [{ kind: "note", text: "stopped" } as const]
        : [{ kind: "assistant", content: answer, toolCalls: [], model: "m", stop: "end" } as const]),
    ];
  });

const histories = fc.array(turns, { maxLength: 25 }).map((each) => each.flat());
const budgets = fc.integer({ min: 600, max: 5_000 });

it("never exceeds its budget, never separates a call from its result, and ends with the newest words", () => {
  fc.assert(
    fc.property(histories, budgets, (history, budget) => {
      const kept = trimHistory(history, budget);
      assert.ok(tokensOf(kept) <= budget);
      const open = new Set<string>();
      for (const entry of kept) {
        if (entry.kind === "assistant") for (const call of entry.toolCalls) open.add(call.callId);
        if (entry.kind === "tool.result") assert.ok(open.delete(entry.callId));
      }
      assert.equal(open.size, 0);
      assert.equal(kept[0]?.kind, history.length === 0 ? undefined : "user");
      assert.equal(kept.at(-1)?.kind, history.at(-1)?.kind);
      for (const entry of kept)
        if (entry.kind === "assistant") for (const call of entry.toolCalls) JSON.parse(call.arguments);
    }),
  );
});

it("keeps its start for many turns, and gives the same for what it gave before", () => {
  fc.assert(
    fc.property(
      fc.array(turns, { minLength: 10, maxLength: 40 }),
      fc.integer({ min: 3_000, max: 9_000 }),
      (list, budget) => {
        let history: readonly TranscriptEntry[] = [];
        let carried: readonly TranscriptEntry[] = [];
        let moves = 0;
        let before: string | undefined;
        for (const turn of list) {
          history = [...history, ...turn];
          carried = trimHistory([...carried, ...turn], budget);
          const kept = trimHistory(history, budget);
          assert.deepEqual(kept, carried);
          const bytes = JSON.stringify(renderEntries(kept, { platform: "telegram", shared: true })).slice(0, -1);
          if (before !== undefined && !bytes.startsWith(before)) moves += 1;
          before = bytes.endsWith('note>"}') ? undefined : bytes;
        }
        const spent = list.reduce((sum, turn) => sum + Math.min(tokensOf(turn), budget / 2), 0);
        assert.ok(moves <= spent / (budget / 2) + 1, `${moves} moves`);
      },
    ),
    { numRuns: 25 },
  );
});

it("shortens one oversized message in its middle", () => {
  const [entry] = trimHistory([said(`begin ${"word ".repeat(10_000)} end`)], 2_000);
  assert.match(entry?.kind === "user" ? entry.markdown : "", /^begin [\s\S]*left out[\s\S]* end$/);
});

it("counts letters outside ASCII dearly", () => {
  assert.equal(estimateTokens("abcdefgh"), 2);
  assert.equal(estimateTokens("漢字かな"), 4);
});
