import assert from "node:assert/strict";
import { it } from "node:test";
import { marksIn, questionOf, tallyMarks, totalMarks } from "./marks.ts";
import type { Line } from "./web-chat.ts";

const sent = ["p1", "p2"];
const fine = { ran: 2, twice: 0, unknown: 0, needless: 0, failed: 0 };
const ended = "m1 began,m1 ended,m2 began,m2 ended";

function history(...answers: readonly string[]): readonly Line[] {
  return answers.flatMap((markdown, index): readonly Line[] => [
    { id: `p${index + 1}`, from: "person", markdown: questionOf(index + 1), turnId: `t${index}` },
    { id: `a${index}`, from: "agent", markdown, turnId: `t${index}` },
  ]);
}

for (const [name, answers, marks, found] of [
  ["what has ended", ["m1 ended\n[exit code 0]", "hello\n\nm2 ended"], ended, {}],
  ["a command that ran again", ["m1 ended", "m2 ended"], `${ended},m1 began,m1 ended`, { twice: 1 }],
  ["an end that nobody saw", ["m1 ended", "UNKNOWN: interrupted"], "m1 began,m1 ended,m2 began", { unknown: 1 }],
  ["an end that was there to be seen", ["m1 ended", "UNKNOWN: interrupted"], ended, { unknown: 1, needless: 1 }],
  ["a command that never ran", ["m1 ended", "Error: no"], "m1 began,m1 ended", { ran: 1, failed: 1 }],
  ["a command that was only repeated", ["m1 ended", `You said: ${questionOf(2)}`], ended, { failed: 1 }],
] as const)
  it(`counts ${name}`, () =>
    assert.deepEqual(tallyMarks(sent, history(...answers), marks.split(",")), { ...fine, ...found }));

it("adds up, and finds marks in an answer", () => {
  assert.deepEqual(totalMarks([fine, { ...fine, twice: 1 }]), { ...fine, ran: 4, twice: 1 });
  assert.deepEqual(marksIn("(offline demo) m0 ended\nm1 began\nm1 ended\n[exit code 0]"), [
    "m0 ended",
    "m1 began",
    "m1 ended",
  ]);
  assert.equal(marksIn("UNKNOWN: interrupted"), undefined);
});
