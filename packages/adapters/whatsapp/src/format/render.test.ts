import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { measure, render } from "./render.ts";

/** Keeps a mark that people wrote a letter. */
const z = "\u200B";

const golden: readonly [name: string, markdown: string, text: string][] = [
  ["emphasis", "**b** *i* ~~s~~ `c*d`", "*b* _i_ ~s~ `c*d`"],
  ["nested emphasis", "***both*** **a *b* c**", "*_both_* *a* *_b_* *c*"],
  ["headings", "# One\n\n## Two *x* **y**", "*One*\n\n*Two* *_x_* *y*"],
  ["lines, each with its marks", "**a\nb**  \nc\n\nd", "*a*\n*b*\nc\n\nd"],
  ["marks beside white space", "a** b **c", `a** b *${z}*c`],
  ["emphasis inside a word", "un**believ**able", "unbelievable"],
  ["emphasis between punctuation", "(**b**), *i*.", "(*b*), _i_."],
  ["emphasis around a mark", "**2*3** and *a_b*", "2*3 and a_b"],
  ["bullets", "- a\n- b\n  - c\n  - d\n- e", "- a\n- b\n  - c\n  - d\n- e"],
  ["numbers", "3. c\n4. d", "3. c\n4. d"],
  ["tasks", "- [x] done\n- [ ] open", "- ☑ done\n- ☐ open"],
  ["a code block", "```ts\nconst a = `b`;\n*c*\n```", "```\nconst a = `b`;\n*c*\n```"],
  ["one line of code", "```\nnpm test\n```", "```npm test```"],
  ["code with a fence", "````\na\n```\nb\n````", "```\na\nˋˋˋ\nb\n```"],
  ["a quote", "> a\n> > b\n\nc", "> a\n> b\n\nc"],
  ["code in a quote", "> ```\n> a\n> b\n> ```", "> `a`\n> `b`"],
  ["a link", "[the page](https://e.org/a_b_c) now", "the page (https://e.org/a_b_c) now"],
  ["a bold link", "**[x](https://e.org)**", "*x* (https://e.org)"],
  [
    "every address",
    "[call](tel:+49) [map](geo:1,2) <magnet:?x=1> [doc](docs/a_b.md 't') ![p](p.png) [x][1]\n\n[1]: matrix:r/a:b.test\n[2]: https://c.test",
    "call (tel:+49) map (geo:1,2) magnet:?x=1 doc (docs/a_b.md) p (p.png) x (matrix:r/a:b.test)\n\n[2]: https://c.test",
  ],
  ["a dangerous link", "[x](javascript:alert(1)) [y](./README.md)", "x y (./README.md)"],
  ["a bare address", "https://e.org/_a_", "https://e.org/_a_"],
  ["a reference", "[x][1]\n\n[1]: https://e.org", "x (https://e.org)"],
  ["an image", "![alt](https://e.org/i.png)", "alt (https://e.org/i.png)"],
  ["HTML by its meaning", "<b>hi</b><br>& <!-- c --> List<T> x<sup>2</sup>", "*hi*\n&  List<T> x²"],
  ["signs between digits", "2*3*4", "2*3*4"],
  ["single tildes", "H~2~O", "H~2~O"],
  ["formulas as code", "so \\(a_1\\,b\\)\n$$\nx*y*z\n$$", "so `a_1\\,b`\n\n```x*y*z```"],
  ["a rule", "a\n\n---\n\nb", "a\n\n———\n\nb"],
  ["a footnote", "a[^n]\n\n[^n]: why", "a[n]\n\n[n] why"],
  ["a table", "| a | b |\n|---|---|\n| 1 | 李 |", "```\na | b\n--+---\n1 | 李\n```"],
  ["a wide table", `| name | text |\n|---|---|\n| one | ${"x".repeat(40)} |`, `- name: one; text: ${"x".repeat(40)}`],
  [
    "marks in a wide table",
    `| \\*n\\* | text |\n|---|---|\n| **one** | ${"x".repeat(40)} |`,
    `- *${z}n*: *one*; text: ${"x".repeat(40)}`,
  ],
  ["literal marks", "\\*a\\* \\_b\\_ \\~c\\~ \\`d\\`", `*${z}a* _${z}b_ ~${z}c~ \`${z}d\``],
  ["marks that mean nothing", "2 * 3 * 4, snake_case_name, ~ 5", "2 * 3 * 4, snake_case_name, ~ 5"],
  ["a literal quote and a literal list", "\\> a\n\n\\- b", `${z}> a\n\n${z}- b`],
];

describe("what WhatsApp is given", () => {
  for (const [name, markdown, text] of golden) it(`has ${name}`, () => assert.equal(render(markdown), text));

  it("is measured as it is sent, and a blank counts nothing", () => {
    assert.equal(measure("**a** [b](https://e.org)"), "*a* b (https://e.org)".length);
    assert.equal(measure("😀"), 2);
    for (const nothing of ["[1]: #a", "&nbsp;", " \n", ""]) assert.equal(measure(nothing), 0);
    fc.assert(
      fc.property(markdown(), (source) => {
        const text = render(source);
        assert.equal(measure(source), text.replaceAll(z, "").trim() === "" ? 0 : text.length);
      }),
    );
  });

  it("loses nothing that people wrote", () => {
    assert.match(render("~~~~ wing, foot"), /wing, foot/);
    fc.assert(
      fc.property(markdown(), (source) => {
        const text = render(source);
        // Neither the language of a block of code nor the address of a link that leads nowhere is shown.
        const said = source.replace(/^.*(?:~{3}|`{3}).*\n/gm, "").replaceAll(/\]\(\S*/g, "]");
        for (const word of said.match(/w\d+w/g) ?? []) assert.ok(text.includes(word), `${word} is lost`);
      }),
    );
  });

  it("keeps the literal meaning of every text", () => {
    const letters = fc.constantFrom("*", "_", "~", "`", " ", "a", "1", ".", "-", ">", "é");
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 24 }), (parts) => {
        const text = parts.join("").replace(/ +/g, " ").trim();
        const source = text.replace(/[^\w\s]|_/g, (sign) => (/[!-~]/.test(sign) ? `\\${sign}` : sign));
        if (/^\d+\\\./.test(source)) return;
        assert.equal(asPeopleSee(render(source)), text);
      }),
      { numRuns: 2_000, seed: 20_261_123 },
    );
  });
});

/**
 * The text as WhatsApp shows it, formatting left out: a pair of marks in one line with white space or punctuation outside
 * and none inside formats, and a zero-width space is white space that nobody sees.
 */
function asPeopleSee(text: string): string {
  let shown = text.replace(/^\s*(?:> |[-*] )/gm, "•");
  for (const mark of ["`", "*", "_", "~"]) {
    const sign = `[${mark}]`;
    const pair = new RegExp(
      `(?<![\\p{L}\\p{N}])${sign}(?![\\s${z}])([^\\n${mark}]+?)(?<![\\s${z}])${sign}(?![\\p{L}\\p{N}])`,
      "gu",
    );
    shown = shown.replace(pair, "$1");
  }
  return shown.replaceAll(z, "");
}

/** Texts made of everything markdown knows, with words that can be found again. */
function markdown(): fc.Arbitrary<string> {
  const word = fc.nat(99).map((n) => `w${n}w`);
  const piece = fc.oneof(
    word,
    fc.constantFrom("**", "*", "_", "~~", "`", "```\n", "\n", "\n\n", " ", "> ", "- ", "1. ", "# ", "\\", "😀", "é"),
    fc.constantFrom("[", "](https://e.org)", "![", "| a | b |\n|---|---|\n", "<b>", "&amp;", "---\n", "[^1]", "(", ")"),
  );
  return fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
}
