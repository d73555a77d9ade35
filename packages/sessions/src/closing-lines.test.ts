import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aboveClosing, withoutClosing } from "./closing-lines.ts";

describe("withoutClosing", () => {
  for (const below of [
    "\n\nBest regards,\nIna Roth",
    "\nThanks!",
    "\n\nBest regards, Ina",
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
    "approve\n\nThanks, not today",
    "approve\n\n.",
    "approve\n\n--\nIna, not today",
    `approve${"\n".repeat(100)}not yet`,
    `approve\n\n-- \n${"x".repeat(2_000)}`,
  ])
    it(`leaves ${JSON.stringify(text.slice(0, 60))} as it is`, () => {
      assert.equal(withoutClosing(text, "Ina Roth"), text);
    });
});

describe("aboveClosing", () => {
  for (const below of [
    "\n\nKind regards\nAda Lovelace\n\n[earlier messages left out]\n\nDo it",
    "\r\n\r\nBest regards, Ada",
    "\n-- \nAda",
    "\n\n[signature left out]",
  ])
    it(`leaves the reason above ${JSON.stringify(below)}`, () => {
      assert.equal(
        aboveClosing(`no, because it is late,\nthanks to you${below}`),
        "no, because it is late,\nthanks to you",
      );
    });

  it("leaves words that end no letter, and a first line whatever it says", () => {
    for (const text of ["no", "Thanks", "no, because\nbest of all is\n[1] late"])
      assert.equal(aboveClosing(text), text);
  });
});
