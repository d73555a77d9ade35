import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutClosing } from "./closing-lines.ts";

describe("withoutClosing", () => {
  for (const below of [
    "\n\nBest regards,\nIna Roth",
    "\nThanks!",
    "\n\nMit freundlichen Grüßen\n\nIna",
    "\r\n\r\nCordialement,\r\nRoth",
    "\n\nina roth",
    "\n\n-- \nIna Roth\nHead of everything",
  ])
    it(`leaves the first line above ${JSON.stringify(below)}`, () => {
      assert.equal(withoutClosing(`approve${below}`, "Ina Roth"), "approve");
    });

  for (const text of [
    "approve",
    "approve\n\nbut not today",
    "approve\n\nOnly on staging,\nIna",
    "approve\n\nThanks,\nIna\nP.S. only 2",
    "approve\n\nThanks, but not today\nIna",
    "approve\n\nInatest",
    "approve\n\n.",
    "approve\n\n--\nIna, not today",
    `approve${"\n".repeat(100)}not yet`,
    `approve\n\n-- \n${"x".repeat(2_000)}`,
  ])
    it(`leaves ${JSON.stringify(text.slice(0, 60))} as it is`, () => {
      assert.equal(withoutClosing(text, "Ina Roth"), text);
    });
});
