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
    assert.deepEqual(lines.map((line) => line.split("  ")[0]).slice(1, 3), ['"Mel [2J" (tg/42)', "tg/43"]);
  });

  it("says that nothing was used", () => {
    assert.deepEqual(usageLines("day", [], undefined, "EUR"), ["nothing was used"]);
  });

  const when = { now: Date.parse("2026-11-22T02:30:00Z"), timeZone: "Europe/Berlin" };

  it("reads its options, and names those that mean nothing", () => {
    const timeZone = "Europe/Berlin";
    assert.deepEqual(usageQuery({}, when), { by: "day", withinMs: 30 * 86_400_000, limit: 50, timeZone });
    assert.deepEqual(usageQuery({ by: "turn", days: "1", limit: "9", account: "tg", person: "tg/a/b" }, when), {
      by: "turn",
      withinMs: 86_400_000,
      limit: 9,
      timeZone,
      accountId: "tg",
      person: { accountId: "tg", userId: "a/b" },
    });
    assert.throws(() => usageQuery({ by: "week" }, when), /--by has to be one of day, person/);
    for (const days of ["0", "1.5", "x", ""])
      assert.throws(() => usageQuery({ days }, when), /--days has to be a whole number/);
    assert.throws(() => usageQuery({ person: "tg" }, when), /--person has to be <account>\/<id>/);
  });

  it("knows yesterday where the installation is, and shows one day by person", () => {
    const yesterday = (timeZone: string) => usageQuery({ yesterday: true }, { ...when, timeZone });
    assert.deepEqual(yesterday("Europe/Berlin"), {
      by: "person",
      day: "2026-11-21",
      limit: 50,
      timeZone: "Europe/Berlin",
    });
    assert.deepEqual(yesterday("America/New_York"), {
      by: "person",
      day: "2026-11-20",
      limit: 50,
      timeZone: "America/New_York",
    });
    // A day of 25 hours lies between.
    const autumn = { now: Date.parse("2026-10-26T00:10:00Z"), timeZone: "Europe/Berlin" };
    assert.deepEqual(usageQuery({ yesterday: true, by: "total" }, autumn), {
      by: "total",
      day: "2026-10-25",
      limit: 50,
      timeZone: "Europe/Berlin",
    });
    assert.equal(usageQuery({ day: "2024-02-29" }, when).by, "person");
  });

  it("takes no day that does not exist, and one period at a time", () => {
    for (const day of ["2026-02-30", "2026-2-3", "yesterday", "", "1969-12-31", "2026-02-03T00:00:00Z"])
      assert.throws(() => usageQuery({ day }, when), /--day has to be a day such as 2026-11-22/, day);
    assert.throws(() => usageQuery({ day: "2026-11-01", yesterday: true }, when), /exclude each other/);
    assert.throws(() => usageQuery({ days: "2", yesterday: true }, when), /exclude each other/);
  });
});
