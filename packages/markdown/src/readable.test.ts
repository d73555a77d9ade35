import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { plainText, readable, renderMarkdown, toCommonMarkdown } from "./index.ts";

const arabic = "مرحبا";
const hebrew = "שלום";

describe("the order in which a text is seen", () => {
  const cases: Readonly<Record<string, readonly [given: string, wanted: string]>> = {
    "an override, with its end": ["open \u202Efdp.exe\u202C now", "open fdp.exe now"],
    "an override without an end, to the left and to the right": ["a\u202Eb\u202Dc\nd", "abc\nd"],
    "an override as a number of HTML": ["a &#x202E;b&#8237;c &#x202e;d", "a bc d"],
    "the number of one in code, and behind a backslash": ["`&#x202E;` \\&#x202E;", "`&#x202E;` \\&#x202E;"],
    "an isolate around Arabic and Hebrew": [
      `say \u2067${arabic}\u2069 or \u2068${hebrew}, 3\u2069!`,
      `say \u2067${arabic}\u2069 or \u2068${hebrew}, 3\u2069!`,
    ],
    "an isolate for a name in a line of Arabic": [
      `${arabic} \u2066v1.2 (beta)\u2069`,
      `${arabic} \u2066v1.2 (beta)\u2069`,
    ],
    "an embedding, as older programs write it": [`\u202B${hebrew} (a)\u202C`, `\u202B${hebrew} (a)\u202C`],
    "isolates that only turn around": [
      "\u2067\u2066exe\u2069.\u2066pdf\u2069\u2069",
      "\u2066exe\u2069.\u2066pdf\u2069",
    ],
    "an isolate without an end": [`\u2067${arabic}\nb \u2069c`, `${arabic}\nb c`],
    "an end that closes what began within": [`\u2067${arabic} \u202Ex\u2069 y\u202C`, `\u2067${arabic} x\u2069 y`],
    "an embedding that ends outside of an isolate": [
      `\u202B${arabic}\u2066a\u202C\u2069\u202C`,
      `\u202B${arabic}\u2066a\u2069\u202C`,
    ],
    code: [
      `\`a\u2067${arabic}\u2069b\`\n\n\`\`\`\nif\u2066 (x) {\u2069\u202E\n\`\`\`\n\n\u2067${arabic}\u2069`,
      `\`a${arabic}b\`\n\n\`\`\`\nif (x) {\n\`\`\`\n\n\u2067${arabic}\u2069`,
    ],
    "marks and joiners": [`${hebrew}\u200F! 👩\u200D🔬 \u061C`, `${hebrew}\u200F! 👩\u200D🔬 \u061C`],
  };
  for (const [name, [given, wanted]] of Object.entries(cases)) it(name, () => assert.equal(readable(given), wanted));

  it("holds in every dialect and for platforms that read Markdown", () => {
    assert.equal(
      renderMarkdown("**a\u202Eb** `c\u2067d\u2069` [e\u202E](https://f.test/\u202Eg)", plainText),
      "ab cd e (https://f.test/g)",
    );
    assert.equal(toCommonMarkdown("**a\u202Eb** `c\u2067d\u2069`"), "**ab** `cd`");
  });

  it("never leaves an override or a beginning without its end, and is the same when done again", () => {
    const signs = fc.constantFrom(
      ..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\n`ab א",
      "&#x202e;",
      "```\n",
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 60 }), (parts) => {
        const once = readable(parts.join(""));
        assert.equal(readable(once), once);
        assert.doesNotMatch(once, /[\u202d\u202e]/);
        for (const line of once.split("\n")) {
          const count = (of: RegExp) => (line.match(of) ?? []).length;
          assert.equal(count(/[\u202a\u202b]/g), count(/\u202c/g));
          assert.equal(count(/[\u2066-\u2068]/g), count(/\u2069/g));
        }
      }),
    );
  });

  it("takes a hundred thousand signs", () => {
    for (const text of ["\u2067", "\u2067א\u2069", "\u202E\u202C", "\u202B\u2066א", "&#x202e;"]) {
      assert.ok(readable(text.repeat(100_000)).length <= 300_000);
    }
  });
});
