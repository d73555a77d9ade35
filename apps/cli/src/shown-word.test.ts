import assert from "node:assert/strict";
import { it } from "node:test";
import { shownPath, shownWord, withShortWords } from "./shown-word.ts";

it("an error names a word as it was typed, and no more than a line of it", () => {
  assert.equal(shownWord('a"\u001b[31m'), '"a\\"\\u001b[31m"');
  assert.equal(shownWord("x".repeat(100)), `"${"x".repeat(100)}"`);
  assert.equal(shownWord("x".repeat(101)), `"${"x".repeat(99)}…"`);
  assert.equal(shownWord("🙂".repeat(5_000)), `"${"🙂".repeat(99)}…"`);
});

it("and a sentence of the command line's own parser, and a path, are as short", () => {
  const long = "x".repeat(5_000);
  assert.equal(withShortWords(`unknown option '--${long}'\n`), `unknown option '--${"x".repeat(97)}…'\n`);
  assert.equal(
    withShortWords("unknown command 'stat'\n(Did you mean status?)\n"),
    "unknown command 'stat'\n(Did you mean status?)\n",
  );
  assert.equal(shownPath(`/${long}`), `/${"x".repeat(498)}…`);
});
