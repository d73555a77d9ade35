import assert from "node:assert/strict";
import { it } from "node:test";
import { durationText } from "./duration-text.ts";

for (const [ms, text] of [
  [0, "0 s"],
  [999, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [725_000, "12 min 5 s"],
  [3_600_000, "1 h"],
  [3 * 86_400_000 + 4 * 3_600_000 + 5, "3 d 4 h"],
] as const)
  it(`${ms} ms is ${text}`, () => assert.equal(durationText(ms), text));
