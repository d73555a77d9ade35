import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { longestTitle, plainLine, quoted } from "./shown-words.ts";

describe("somebody's words in a text of ours", () => {
  for (const [text, shown] of [
    ["  two\n\n lines\t", "“two lines”"],
    [
      "*bold* _it_ `code` [x](http://y) <b> & #1 | !",
      "“\\*bold\\* \\_it\\_ \\`code\\` \\[x\\](http://y) \\<b\\> \\& \\#1 \\| \\!”",
    ],
    ["a\u202eb\u200bc\u0007d\u{e0041}", "“abcd”"],
    ["👩\u200d🚀 می\u200cروم", "“👩\u200d🚀 می\u200cروم”"],
    ["@everyone", "“\\@everyone”"],
    ["", "“”"],
  ] as const)
    it(`are one line without markup: ${JSON.stringify(text)}`, () => assert.equal(quoted(text), shown));

  it("are cut between characters, within the limit", () => {
    assert.equal(plainLine("🚀".repeat(81), longestTitle), `${"🚀".repeat(79)}…`);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 2, max: 100 }), (text, most) => {
        const line = plainLine(text, most);
        assert.ok([...line].length <= most && !/\p{Cc}|[\u202a-\u202e]|[\u2066-\u2069]/u.test(line));
      }),
    );
  });
});
