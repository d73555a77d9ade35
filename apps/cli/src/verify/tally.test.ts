import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tallyOf, totalOf } from "./tally.ts";
import type { Line } from "./web-chat.ts";

/** "p1:a" is message p1 of turn a, ">a" the answer to it, ">a!" one that says what went wrong. */
function history(text: string): readonly Line[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word, index): Line => {
      if (word.startsWith(">")) {
        const outcome = word.endsWith("!") ? "failed" : "completed";
        return { id: `line ${index}`, from: "agent", markdown: "", turnId: word.replace(/[>!]/g, ""), outcome };
      }
      const [id = "", turnId] = word.split(":");
      return { id, from: "person", markdown: "", ...(turnId === undefined ? {} : { turnId }) };
    });
}

const fine = { sent: 3, answered: 3, lost: 0, duplicated: 0, reordered: 0, notices: 0 };
const sent = ["p1", "p2", "p3"];

describe("the tally of a conversation", () => {
  for (const [name, lines, tally] of [
    ["one answer each", "p1:a >a p2:b >b p3:c >c", {}],
    ["one answer to several", "p1:a p2:a p3:c >a >c", {}],
    ["an answer that comes after the next message", "p1:a p2:b >a p3:c >b >c", {}],
    ["nothing at all", "", { answered: 0, lost: 3 }],
    ["a message that was never recorded", "p1:a >a p3:c >c", { answered: 2, lost: 1 }],
    ["a message that waits", "p1:a >a p2:b >b p3", { answered: 2, lost: 1 }],
    ["a turn without an answer", "p1:a >a p2:b p3:c >c", { answered: 2, lost: 1 }],
    ["a message twice", "p1:a p1:a >a p2:b >b p3:c >c", { duplicated: 1 }],
    ["an answer twice", "p1:a >a p2:b >b >b p3:c >c", { duplicated: 1 }],
    ["messages that changed places", "p2:b p1:a >a p3:c >b >c", { reordered: 1 }],
    ["answers that changed places", "p1:a p2:b >b >a p3:c >c", { reordered: 1 }],
    ["a failure that people were told about", "p1:a >a! p2:b >b p3:c >c", { notices: 1 }],
  ] as const)
    it(`counts ${name}`, () => assert.deepEqual(tallyOf(sent, history(lines)), { ...fine, ...tally }));

  it("adds up", () => {
    const lost = tallyOf(sent, history("p1:a >a"));
    assert.deepEqual(totalOf([tallyOf(sent, history("p1:a >a p2:b >b p3:c >c")), lost]), {
      ...fine,
      sent: 6,
      answered: 4,
      lost: 2,
    });
  });
});
