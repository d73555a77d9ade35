import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainText } from "./plain-text.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { toCommonMarkdown } from "./to-common-markdown.ts";

/** A dialect that shows where marks begin and end. */
const marked = {
  ...plainText,
  strong: (inner: string) => `{b ${inner}}`,
  emphasis: (inner: string) => `{i ${inner}}`,
  strike: (inner: string) => `{s ${inner}}`,
  code: (value: string) => `{c ${value}}`,
};

describe("what models write", () => {
  const cases: Readonly<Record<string, readonly [markdown: string, shown: string]>> = {
    "emphasis beside punctuation in languages without blanks": [
      "これは**「重要」**です。**注意：**必ず*「斜」*読む。中文**强调（括号）**后续",
      "これは{b 「重要」}です。{b 注意：}必ず{i 「斜」}読む。中文{b 强调（括号）}后续",
    ],
    "bold that ends with punctuation before a word": [
      '**Note:**text and **"quoted"**is',
      '{b Note:}text and {b "quoted"}is',
    ],
    "arithmetic with letters": [
      "x = a*b + c*d, 2*x*3, un*frigging*real, *a* b",
      "x = a*b + c*d, 2*x*3, un{i frigging}real, {i a} b",
    ],
    "bold in bold as bold": ["<b>a **b** c</b> and **a <strong>b</strong>**", "{b a b c} and {b a b}"],
    "a formula without signs around it": [
      "So\n\\begin{align*}\na_1 &= b * c \\\\\nd &= e * f\n\\end{align*}\n\n- \\begin{x} no\n- \\bar",
      "So\n\n\\begin{align*}\na_1 &= b * c \\\\\nd &= e * f\n\\end{align*}\n\n- \\begin{x} no\n- \\bar",
    ],
    "an environment within a formula": ["$$\n\\begin{split}\na\n\\end{split}\n$$", "\\begin{split}\na\n\\end{split}"],
    "a note as GitHub has them": [
      "> [!NOTE]\n> Read *this*.\n\n> [!WARNING]\n>\n> - a\n\n> [!tip] c\n\n> [!other] b",
      "> {b Note}\n> Read {i this}.\n\n> {b Warning}\n>\n> - a\n\n> {b Tip}\n> c\n\n> [!other] b",
    ],
    "a badge as one link": ["[![badge](https://e.test/b.svg)](https://e.test/ci)", "badge (https://e.test/ci)"],
    "the addresses of links in tables": [
      "| a |\n|-|\n| [b](https://e.test) |",
      "a\n------------------\nb (https://e.test)",
    ],
    "rows of HTML with their cells apart": [
      "<table><tr><th>Name</th><th>Age</th></tr>\n<tr><td>Ada</td><td>36</td></tr></table>",
      "Name | Age\nAda | 36",
    ],
  };
  for (const [name, [markdown, shown]] of Object.entries(cases))
    it(`is shown: ${name}`, () => assert.equal(renderMarkdown(markdown, marked), shown));

  it("is one bold where Markdown is read elsewhere, too", () =>
    assert.equal(toCommonMarkdown("<summary>a <b>b</b> **c**</summary>").trim(), "**a b c**"));
});
