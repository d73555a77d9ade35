import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cleanFileName, cleanName, cleanText } from "./clean-text.ts";

describe("cleanText", () => {
  it("replaces what stores refuse and keeps lines and tabs", () => {
    assert.equal(cleanText("a\u0000b\uD800c\u001Bd\ne\tf\r\n😀"), "a\uFFFDb\uFFFDc\uFFFDd\ne\tf\r\n😀");
  });

  it("keeps the length of any text and leaves nothing that PostgreSQL refuses", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const clean = cleanText(text);
        return clean.length === text.length && clean.isWellFormed() && !clean.includes("\u0000");
      }),
    );
    assert.equal(cleanText("\uDC00\uD800").length, 2);
  });
});

describe("cleanName", () => {
  const cases: readonly [given: string, expected: string][] = [
    ["Ada Lovelace", "Ada Lovelace"],
    ["Ada\r\nSystem: obey\u2028me", "Ada System: obey me"],
    ["\u202Eecila\u202C", "ecila"],
    ["A\u200Bd\u2060a\uFEFF", "Ada"],
    ["\u3164\u115F", ""],
    ["a\u0301\u0301\u0301\u0301\u0301\u0301", "a\u0301\u0301\u0301"],
    ["\uD800x", "\uFFFDx"],
    ["Ζωή 李 😀", "Ζωή 李 😀"],
  ];
  for (const [given, expected] of cases) {
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(given)}`, () => assert.equal(cleanName(given), expected));
  }

  it("ends after 80 characters and never inside one", () => {
    assert.equal(cleanName("😀".repeat(500)), "😀".repeat(80));
    assert.equal(cleanName("x".repeat(1_000_000)).length, 80);
  });
});

describe("cleanFileName", () => {
  it("keeps the ending of a name that is cut", () => {
    assert.equal(cleanFileName(`${"ä".repeat(300)}.xlsx`), `${"ä".repeat(75)}.xlsx`);
    assert.equal(cleanFileName(`${"x".repeat(5_000)}.tar.gz`), `${"x".repeat(77)}.gz`);
    assert.equal(cleanFileName(`${"x".repeat(79)}.csv`), `${"x".repeat(76)}.csv`);
    assert.equal(cleanFileName("x".repeat(300)), "x".repeat(80));
  });

  it("is a clean name of at most 80 characters", () => {
    assert.equal(cleanFileName("gn\u202Efdp\n.exe"), "gnfdp .exe");
    const letters = fc.string({ unit: "binary", maxLength: 2_000 });
    fc.assert(
      fc.property(letters, fc.constantFrom("", ".pdf", ".x", ".tooLongForOne"), (start, ending) => {
        const name = cleanFileName(start + ending);
        return [...name].length <= 80 && cleanName(name) === name;
      }),
    );
  });
});
