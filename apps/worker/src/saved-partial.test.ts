import assert from "node:assert/strict";
import { it } from "node:test";
import { SavedPartial } from "./saved-partial.ts";

it("an answer so far is stored once a second while words come, and whole before a step, unless it is there already", async () => {
  const stored: string[] = [];
  const stream = { text: "" };
  let now = 0;
  const partial = new SavedPartial(stream, async (text) => void stored.push(text), { elapsed: () => now });
  const write = async (text: string, ms: number) => {
    stream.text = text;
    now = ms;
    await partial.atWord();
  };
  await write("a", 500);
  await write("ab", 1_000);
  await write("abc", 1_500);
  assert.deepEqual(stored, ["ab"]);
  await partial.atStep();
  await partial.atStep();
  assert.deepEqual(stored, ["ab", "abc"]);
  stream.text = "";
  await partial.atStep();
  await partial.atStep();
  assert.deepEqual(stored, ["ab", "abc", ""]);
  await write("b", 2_400);
  assert.equal(stored.length, 3);
  await write("bc", 2_500);
  assert.equal(stored.at(-1), "bc");
});
