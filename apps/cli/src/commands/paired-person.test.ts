import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PairingRow } from "@talaria/store";
import { pairedPerson } from "./paired-person.ts";

const row = (id: string, userId: string, displayName: string) =>
  ({ id, userId, displayName, accountId: "main", state: "approved" }) as unknown as PairingRow;
const ada = row("b41092a4-0000-4000-8000-000000000001", "888", "Ada");
const bob = row("b41092a5-0000-4000-8000-000000000002", "889", "Bob\u001b[31m");
const other = row("c0ffee00-0000-4000-8000-000000000003", "890", "ada");
const people = [ada, bob, other];

describe("who is meant in the list of those who may talk", () => {
  for (const [words, meant] of [
    [ada.id, ada],
    ["b41092a4", ada],
    ["889", bob],
    ["C0FFEE00", other],
  ] as const)
    it(`${words} is one of them`, () => assert.equal(pairedPerson(people, words, false), meant));

  it("is found by name only where that lets nobody in", () => {
    assert.equal(pairedPerson([ada, bob], " ADA ", true), ada);
    assert.throws(
      () => pairedPerson([ada, bob], "Ada", false),
      /^Error: nobody in `talaria people` has the id or number "Ada"; a name isn't enough to let somebody in[^\n]*, take the number:\n {2}b41092a4 {2}let in {2}"Ada" \(888\) on main$/,
    );
  });

  it("is not guessed: those who may be meant are listed, and nothing of their names reaches the terminal as it is", () => {
    assert.throws(
      () => pairedPerson(people, "ada", true),
      (error: Error) => {
        assert.ok(
          error.message.includes("b41092a4") &&
            error.message.includes("c0ffee00") &&
            !error.message.includes("b41092a5"),
        );
        return true;
      },
    );
    assert.throws(() => pairedPerson(people, "b41092a", true), /"Bob\\u001b\[31m" \(889\) on main/);
    const posing = row("d0000000-0000-4000-8000-000000000004", "891", "888");
    assert.equal(pairedPerson([ada, posing], "888", true), ada, "whose the id is");
  });

  const eve = row("e0000000-0000-4000-8000-000000000005", "892", "Eve Meier\u001b[31m");
  for (const words of ["Eve", "@evemeier", "meier", "EVE M"])
    it(`${words} is nobody for certain, so those of such names are listed`, () => {
      assert.throws(
        () => pairedPerson([ada, eve], words, true),
        (error: Error) =>
          error.message.startsWith("nobody in") &&
          error.message.includes(`e0000000  let in  "Eve Meier\\u001b[31m`) &&
          !error.message.includes("b41092a4"),
      );
      assert.throws(
        () => pairedPerson([ada, eve], words, false),
        /a name isn't enough to let somebody in, since people choose their own/,
      );
    });

  for (const words of ["", "b41", "nobody"])
    it(`${JSON.stringify(words)} is nobody`, () => assert.throws(() => pairedPerson(people, words, true), /nobody in/));
});
