import assert from "node:assert/strict";
import { it } from "node:test";
import { listAddresses } from "./addresses.ts";

const fields: readonly (readonly [field: string, addresses: readonly string[]])[] = [
  ["ada@people.test, Bob <bob@people.test>", ["ada@people.test", "bob@people.test"]],
  [
    '"Doe, Carl" <carl@people.test>; team: dan@people.test, eve@people.test;',
    ["carl@people.test", "dan@people.test", "eve@people.test"],
  ],
  ["someone (carl@people.test) <x@other.test>", ["x@other.test"]],
  ["x@other.test (carl@people.test)", ["x@other.test"]],
  ["carl@people.test <x@other.test>", ["x@other.test"]],
  ['"carl@people.test" <x@other.test>', ["x@other.test"]],
  ["(a (nested, carl@people.test) b) x@other.test", ["x@other.test"]],
  ["carl@people.test x@other.test", []],
  ["x@other.test, (never ends, carl@people.test", ["x@other.test"]],
  ['x@other.test, "never ends, carl@people.test', ["x@other.test"]],
  ["<ada@people.test>", ["ada@people.test"]],
  ["Ada <ada@people.test> carl@people.test", []],
];

for (const [field, addresses] of fields)
  it(`reads ${field}`, () => assert.deepEqual(listAddresses(field, 10), addresses));

it("takes its time for long fields in proportion to their length", () => {
  for (const piece of ["(", '"', "()", '""', "<", ",", "a@b.test,", "((", "\\"])
    assert.ok(listAddresses(piece.repeat(100_000), 500).length <= 500);
});
