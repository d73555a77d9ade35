import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { usageLines, usageQuery } from "./usage.ts";

const counts = {
  inputTokens: 12_000,
  cachedTokens: 9_000,
  cacheWriteTokens: 0,
  outputTokens: 300,
  reasoningTokens: 10,
};

describe("talaria usage", () => {
  it("shows an unknown price as unknown, and the known part beside it", () => {
    const rows = [
      { of: "main (anthropic)", answers: 3, ...counts, cost: 1_230_000, unpriced: 0 },
      { of: "spare", answers: 1, ...counts, unpriced: 1 },
      { of: "", answers: 1, ...counts, inputTokens: 0, cachedTokens: 0, cost: 0, unpriced: 0 },
    ];
    const total = { of: "", answers: 5, ...counts, cost: 1_230_000, unpriced: 1 };
    assert.deepEqual(usageLines("model", rows, total, "EUR"), [
      "model             answers   input  cached  output                           cost",
      "main (anthropic)        3  12,000    75 %     300                       1.23 EUR",
      "spare                   1  12,000    75 %     300                        unknown",
      "-                       1       0     0 %     300                       0.00 EUR",
      "total                   5  12,000    75 %     300  1.23 EUR + unknown for 1 of 5",
    ]);
  });

  it("names people behind whose id nobody knows them, with nothing that a terminal obeys", () => {
    const row = { of: "tg/42", answers: 1, ...counts, unpriced: 1 };
    const lines = usageLines(
      "person",
      [
        { ...row, displayName: "Mel\u001b[2J" },
        { ...row, of: "tg/43" },
      ],
      row,
      "EUR",
    );
    assert.deepEqual(lines.map((line) => line.split("  ")[0]).slice(1, 3), ["Mel [2J (tg/42)", "tg/43"]);
  });

  it("says that nothing was used", () => {
    assert.deepEqual(usageLines("day", [], undefined, "EUR"), ["nothing was used"]);
  });

  it("reads its options, and names those that mean nothing", () => {
    assert.deepEqual(usageQuery({}), { by: "day", withinMs: 30 * 86_400_000, limit: 50 });
    assert.deepEqual(usageQuery({ by: "turn", days: "1", limit: "9", account: "tg", person: "tg/a/b" }), {
      by: "turn",
      withinMs: 86_400_000,
      limit: 9,
      accountId: "tg",
      person: { accountId: "tg", userId: "a/b" },
    });
    assert.throws(() => usageQuery({ by: "week" }), /--by has to be one of day, person/);
    for (const days of ["0", "1.5", "x", ""])
      assert.throws(() => usageQuery({ days }), /--days has to be a whole number/);
    assert.throws(() => usageQuery({ person: "tg" }), /--person has to be <account>\/<id>/);
  });
});
