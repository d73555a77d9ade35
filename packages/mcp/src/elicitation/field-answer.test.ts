import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectation, fieldAnswer } from "./field-answer.ts";
import { type FormField, formFields } from "./form-fields.ts";

function fieldOf(schema: object): FormField {
  const [field] = formFields({ properties: { it: schema } });
  assert.ok(field);
  return field;
}

describe("what a field of a form expects", () => {
  for (const [schema, words] of [
    [{ type: "string" }, "Write a text."],
    [{ type: "string", maxLength: 20 }, "Write up to 20 characters."],
    [{ type: "string", minLength: 2, maxLength: 20 }, "Write 2 to 20 characters."],
    [{ type: "string", minLength: 2 }, "Write at least 2 characters."],
    [{ type: "string", minLength: 1 }, "Write at least 1 character."],
    [{ type: "string", minLength: 4, maxLength: 4 }, "Write 4 characters."],
    [{ type: "string", format: "email", maxLength: 40 }, "Write an e-mail address of up to 40 characters."],
    [{ type: "number", maximum: 3 }, "Write a number, 3 or less."],
    [
      { type: "array", items: { enum: ["a", "b"] } },
      "Write the numbers of up to 2 of these options, with commas between them.",
    ],
    [
      { type: "array", items: { enum: ["a", "b"] }, minItems: 1 },
      "Write the numbers of 1 to 2 of these options, with commas between them.",
    ],
  ] as const)
    it(`is said for ${JSON.stringify(schema)}`, () => assert.equal(expectation(fieldOf(schema)), words));
});

describe("a number that somebody writes", () => {
  const amount = fieldOf({ type: "number" });
  for (const [said, value] of [
    ["1,5", 1.5],
    ["-0,25", -0.25],
    ["0,125", 0.125],
    ["1,5000", 1.5],
    [",5", 0.5],
    ["1.5", 1.5],
    ["1500", 1500],
  ] as const)
    it(`may have a comma: ${said}`, () => assert.equal(fieldAnswer(amount, said), value));

  for (const said of ["1,500", "12,345", "-1,500"])
    it(`is not guessed where the comma may part thousands: ${said}`, () =>
      assert.throws(
        () => fieldAnswer(amount, said),
        /may mean two numbers\. Write it without a comma, such as 1500 or 1\.5\.$/,
      ));

  for (const said of ["1,5,5", "1.500,5", "1,", "one", "1e9999"])
    it(`is no other text: ${said}`, () => assert.throws(() => fieldAnswer(amount, said), /Write a number\.$/));

  it("is whole where the field wants it so", () => {
    assert.throws(() => fieldAnswer(fieldOf({ type: "integer" }), "1,5"), /Write a whole number\.$/);
    assert.equal(fieldAnswer(fieldOf({ type: "integer" }), "1,0"), 1);
  });
});
