import assert from "node:assert/strict";
import { it } from "node:test";
import { spentLine } from "./spent-line.ts";

const now = Date.parse("2026-11-29T19:00:00Z");
const spent = { used: 6_237, max: 30_000_000, endsInMs: 1_800_000, refused: 0, isReached: false } as const;

for (const [key, more, line] of [
  ["tokens/account/web", {}, "spent 6,237 of 30 million tokens, account web, until 2026-11-29T19:30:00Z"],
  [
    "tokens/person/tg/42",
    { displayName: "Ada", max: 6_000, refused: 3, isReached: true },
    'spent 6,237 of 6,000 tokens, "Ada" (42) on tg, until 2026-11-29T19:30:00Z, 3 refused',
  ],
  [
    "daily-turns/conversation/tg/-100",
    { max: 9_000 },
    "spent 6,237 of 9,000 turns, conversation -100 on tg, until 2026-11-29T19:30:00Z",
  ],
  [
    "money/total",
    { used: 1_230_000, max: 2_000_000 },
    "spent 1.23 EUR of 2.00 EUR, all accounts, until 2026-11-29T19:30:00Z",
  ],
] as const)
  it(`says of ${key} how much of what, whose and until when`, () => {
    assert.equal(spentLine({ ...spent, key, ...more }, "EUR", now), line);
  });
