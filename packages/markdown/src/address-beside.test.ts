import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressBeside } from "./address-beside.ts";
import { plainText } from "./plain-text.ts";
import { renderMarkdown } from "./render-markdown.ts";

describe("the address beside a label", () => {
  const cases: readonly (readonly [words: string, url: string, beside: string])[] = [
    ["call", "tel:+49123", " (tel:+49123)"],
    ["+49 (1) 2-3", "tel:+49123", ""],
    ["", "geo:1,2", "geo:1,2"],
    ["mail", "mailto:a@b.test?subject=x", " (a@b.test)"],
    ["a@b.test", "mailto:a@b.test", ""],
    ["read", "./docs/a.md", " (./docs/a.md)"],
    ["e.test", "https://e.test", ""],
    ["E.TEST", "https://evil.test", " (https://evil.test)"],
    ["chapter", "#chapter", ""],
    ["run", "javascript:alert(1)", ""],
    ["file", "data:text/plain,x", ""],
    ["chat", "matrix:r/room:e.test", " (matrix:r/room:e.test)"],
    ["two", "a:1\n2", " (a:1 2)"],
  ];
  for (const [words, url, beside] of cases)
    it(`is "${beside}" for ${words || "nothing"} and ${url.trim()}`, () =>
      assert.equal(addressBeside(words, url), beside));
});

describe("definitions of links", () => {
  const shown = (markdown: string) => renderMarkdown(markdown, plainText);

  it("are not shown where a link leads to them", () =>
    assert.equal(shown("See [x][1], [2].\n\n[1]: https://a.test\n[2]: tel:+1"), "See x (https://a.test), 2 (tel:+1)."));

  it("are shown where none does, so that a list of sources stays", () =>
    assert.equal(
      shown('Sources\n\n[1]: https://a.test "Title"\n[2]: b.md\n[//]: # (a comment)'),
      "Sources\n\n[1]: https://a.test Title\n[2]: b.md",
    ));

  it("are shown where another one of the same name counts", () =>
    assert.equal(shown("[x]\n\n[x]: a.md\n[X]: b.md"), "x (a.md)\n\n[X]: b.md"));
});
