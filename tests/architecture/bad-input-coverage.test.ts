import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coverage, files, type Shown } from "./bad-input-coverage.ts";
import { readRepository } from "./repository.ts";

const texts = new Map(readRepository().map(({ path, text }) => [path, text]));

/** Why a place does not show what it should; undefined when it does. */
function faultOf([file, words]: Shown): string | undefined {
  const text = texts.get(files[file]);
  if (text === undefined) return `${files[file]} is gone`;
  // Within a text in quotes, as titles and names of rows are, and not in a comment.
  const isThere = text.split("\n").some((line) => {
    const at = line.indexOf(words);
    return at !== -1 && /["'`]/.test(line.slice(0, at) + words) && !/^\s*(?:\/\/|\*|\/\*)/.test(line);
  });
  return isThere ? undefined : `${files[file]} has no "${words}"`;
}

describe("each row of bad input", () => {
  it("is listed", () => {
    const ids = (letter: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${letter}${String(n + 1).padStart(2, "0")}`);
    assert.deepEqual(Object.keys(coverage), [...ids("A", 20), ...ids("D", 20), ...ids("E", 8), ...ids("F", 13)]);
  });

  for (const [id, shown] of Object.entries(coverage))
    it(`${id} ${typeof shown === "string" ? `has none: ${shown}` : "has its tests"}`, () => {
      if (typeof shown !== "string") assert.deepEqual(shown.map(faultOf).filter(Boolean), []);
    });

  it("is caught when its test is gone", () => {
    assert.match(faultOf(["slack", "F99 a row that nobody wrote"]) ?? "", /has no/);
    assert.match(faultOf(["slack", "import assert"]) ?? "", /has no/);
  });

  it("uses each file that is named", () => {
    const used = new Set(
      Object.values(coverage).flatMap((shown) => (typeof shown === "string" ? [] : shown.map(([file]) => file))),
    );
    assert.deepEqual(
      Object.keys(files).filter((file) => !used.has(file as keyof typeof files)),
      [],
    );
  });
});
