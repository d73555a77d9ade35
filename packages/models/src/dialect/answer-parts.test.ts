import assert from "node:assert/strict";
import { it } from "node:test";
import { tooLongArguments } from "@talaria/agent";
import { addArguments } from "./answer-parts.ts";

const million = "x".repeat(1_000_000);

it("reads arguments that are too long to their end, and gives those up that have none", () => {
  const call = { arguments: "" };
  const other = { arguments: "" };
  for (let n = 0; n < 8; n += 1) addArguments(call, million);
  assert.equal(call.arguments, tooLongArguments);
  addArguments(other, "{}");
  assert.equal(other.arguments, "{}");
  assert.throws(() => {
    for (let n = 0; n < 8; n += 1) addArguments(call, million);
  }, /longer than/);
});
