import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { markdownSample } from "@talaria/testkit";
import { type Dialect, plainText, renderMarkdown, stringPieces } from "./index.ts";

/** Shows what a dialect is told: `name[contents]`, and a slash where blocks meet. */
const shown: Dialect<string> = {
  ...stringPieces,
  stack: (blocks, { isTight }) => blocks.join(isTight ? "/" : "//"),
  text: (words) => words,
  strong: (inner) => `strong[${inner}]`,
  emphasis: (inner) => `emphasis[${inner}]`,
  strike: (inner) => `strike[${inner}]`,
  code: (value) => `code[${value}]`,
  lineBreak: () => "break",
  link: ({ url, label, words }) => `link[${url}|${label}|${words}]`,
  image: ({ url, alt }) => `image[${url}|${alt}]`,
  footnoteMark: (label) => `mark[${label}]`,
  heading: (inner, depth) => `h${depth}[${inner}]`,
  paragraph: (inner) => inner,
  quote: (inner, { quotes }) => inner && `quote${quotes}[${inner}]`,
  list: ({ items, start }, { lists }) =>
    `list${lists}-${start}[${items.map(({ inner, number, isChecked }) => `${number}:${isChecked}:${inner}`).join(";")}]`,
  codeBlock: (value, language) => `block[${language}|${value}]`,
  table: ({ rows, align }) =>
    `table[${align}|${rows.map((row) => row.map(({ inner, words }) => `${inner}=${words}`))}]`,
  rule: () => "rule",
  footnote: (label, inner) => `footnote[${label}|${inner}]`,
  underline: (inner) => `u[${inner}]`,
  inlineFormula: (latex) => `formula[${latex}]`,
  formula: (latex) => `formulas[${latex}]`,
};

type Runs = readonly (string | Runs)[];

const same = (inner: Runs): Runs => inner;
const nothing = (): Runs => [];

/** Pieces that are arrays themselves: runs of words, and one such array for each block. */
const runs: Dialect<Runs> = {
  concat: (parts) => parts.flat(),
  stack: (blocks) => blocks,
  isEmpty: (piece) => piece.length === 0,
  text: (words) => [words],
  strong: same,
  emphasis: (inner) => [`(${inner.join("")})`],
  strike: same,
  code: nothing,
  lineBreak: nothing,
  link: ({ label }) => label,
  image: nothing,
  footnoteMark: nothing,
  heading: same,
  paragraph: same,
  quote: (inner) => ["> ", ...inner.flat()],
  list: nothing,
  codeBlock: nothing,
  table: nothing,
  rule: nothing,
  footnote: nothing,
};

describe("renderMarkdown", () => {
  const cases: Readonly<Record<string, readonly [markdown: string, expected: string]>> = {
    marks: ["**a** *b* ~~c~~ `d`", "strong[a] emphasis[b] strike[c] code[d]"],
    "headings and breaks": ["# a\n\nb\\\nc", "h1[a]//bbreakc"],
    "nested quotes": ["> a\n> > b", "quote0[a//quote1[b]]"],
    "nested lists": [
      "3. a\n   - [x] b\n   - c",
      "list0-3[3:undefined:a/list1-1[undefined:true:b;undefined:undefined:c]]",
    ],
    "a quote in a list": ["- > a\n  >\n  > b", "list0-1[undefined:undefined:quote0[a//b]]"],
    code: ["```ts x\na\n```", "block[ts|a]"],
    tables: ["|a|\n|:-|\n|**b** `c`|", "table[left|a=a,strong[b] code[c]=b c]"],
    links: ["[*a*](b) <https://c.d>", "link[b|emphasis[a]|a] link[https://c.d|https://c.d|https://c.d]"],
    "references, also from inside a quote": ["[a][x] ![b][x]\n\n> [x]: c", "link[c|a|a] image[c|b]"],
    images: ["![a](b)", "image[b|a]"],
    "tags of HTML by their meaning": [
      "<b>a <I>b</I></b> <del>c</del> <kbd>d&lt;*e*</kbd> <u>f</u>\n\n<div>\n*g*\n</div>\n\n<hr />",
      "strong[a emphasis[b]] strike[c] code[d<*e*] u[f]//emphasis[g]//rule",
    ],
    "line breaks of HTML, also in tables": ["a<br>b<br/>\nc\n\n|d<br>e|\n|-|", "abreakbbreakc//table[|dbreake=d\ne]"],
    "links and pictures of HTML": [
      '<a href="b?c=1&amp;d=2">*e*</a> <img alt="f" src=\'g\'> [<a href="h">i</a>](j) <a href="k">https://l.m</a>',
      "link[b?c=1&d=2|emphasis[e]|e] image[g|f] link[j|i|i] link[k|https://l.m|https://l.m]",
    ],
    "what HTML folds, with its title": [
      "<details open>\n<summary>a</summary>\n\n- b\n\n</details>",
      "strong[a]//list0-1[undefined:undefined:b]",
    ],
    "paragraphs and items of HTML": [
      "<p>a</p>\n<p>b</p><ul><li>c</li><li>d</li></ul>",
      "abreakbreakbbreakbreak• cbreak• d",
    ],
    "no comments": ["<!-- a -->\nb <!-- c -->\n\n<!-- d -->", "b"],
    "low and high letters": [
      "H<sub>2</sub>O e<sup>iπ</sup> a<sup>[1](b)</sup> <sub>in small print</sub>",
      "H₂O e^(iπ) alink[b|1|1] in small print",
    ],
    "types, names and half a pair as words": [
      "Array<string>, Vec<T>, <name>, List<b>, Map<section>, x <p and q> y </i>",
      "Array<string>, Vec<T>, <name>, List<b>, Map<section>, x <p and q> y </i>",
    ],
    "programs as words": ["<script>a()</script> <iframe src=b>", "<script>a()</script> <iframe src=b>"],
    "what both mark up once": ["**<b>a</b>**", "strong[a]"],
    footnotes: ["a[^1]\n\n[^1]: b", "amark[1]//footnote[1|b]"],
    "signs between digits as signs": [
      "2*3*4, 2**3**4, 2_3_4, *a 2*3 b* and **5**",
      "2*3*4, 2**3**4, 2_3_4, emphasis[a 2*3 b] and strong[5]",
    ],
    "single tildes as words": ["H~2~O, ~5 or ~6, ~~gone~~", "H~2~O, ~5 or ~6, strike[gone]"],
    "formulas in a line": [
      "a \\(x^2\\,dx*y*z\\), $$a_1$$, $x$ \\[b = \\{c\\}\\]",
      "a formula[x^2\\,dx*y*z], formula[a_1], formula[x] formula[b = \\{c\\}]",
    ],
    "powers of several letters, and no prices": [
      "$E = mc^2$ and $ab^{n}$, but $5 for mc^2 and 3 US$, $PATH^2$",
      "formula[E = mc^2] and formula[ab^{n}], but $5 for mc^2 and 3 US$, $PATH^2$",
    ],
    "formulas on lines of their own": [
      "a\n\\[\nb \\\\\n- c\n> 0\n===\n\\]\nd\n\n$$ e $$\n\n- f\n  $$\n  + g\n  $$\n\n> \\[\n> h\n> \\]",
      "a//formulas[b \\\\\n- c\n> 0\n===]//d//formulas[e]//list0-1[undefined:undefined:f/formulas[+ g]]//quote0[formulas[h]]",
    ],
    "no formulas in code": ["`\\(a\\)`\n\n```\n$$\nb\n$$\n```", "code[\\(a\\)]//block[|$$\nb\n$$]"],
    "prices, names and shell as words": [
      "$5 and $10, $5-$10, US$3 (was $4), $HOME/$PATH, $user_id$, ($$) or ($$$), \\$a\\$",
      "$5 and $10, $5-$10, US$3 (was $4), $HOME/$PATH, $user_id$, ($$) or ($$$), $a$",
    ],
    "escaped brackets as brackets": ["file\\(s\\) \\[1\\] \\[x\\] \\(see below\\)", "file(s) [1] [x] (see below)"],
    "signs without an end as words": ["a \\(b\n\n\\[\nc\n\n- d", "a (b//[\nc//list0-1[undefined:undefined:d]"],
    rules: ["a\n\n---", "a//rule"],
    "nothing for what is empty": ["[x]: #y\n\na", "a"],
  };
  for (const [name, [markdown, expected]] of Object.entries(cases))
    it(`writes ${name}`, () => assert.equal(renderMarkdown(markdown, shown), expected));

  it("hands over pieces that are arrays as they are", () => {
    assert.deepEqual(renderMarkdown("a *b*\n\n[x]: #y\n\n> c", runs), [
      ["a ", "(b)"],
      ["> ", "c"],
    ]);
  });

  it("is quick with texts that are built to be slow", () => {
    for (const hostile of ["[".repeat(20_000), "> ".repeat(5_000), "*a ".repeat(10_000), "- ".repeat(5_000)])
      assert.ok(renderMarkdown(hostile, plainText).length > 0);
  });
});

describe("plainText", () => {
  it("writes the sample document", () => assert.equal(renderMarkdown(markdownSample, plainText), plainSample));

  it("gives a cell as many lines as it has", () =>
    assert.equal(
      renderMarkdown("|a|b|\n|-|-|\n|c<br>dd|e|\n|f|g<br>h|", plainText),
      "a  | b\n---+--\nc  | e\ndd |\nf  | g\n   | h",
    ));

  it("writes formulas word for word", () =>
    assert.equal(renderMarkdown("a \\(b\\,c\\)\n\n\\[ d\\_e \\]", plainText), "a b\\,c\n\nd\\_e"));

  it("writes a table wider than a phone as lines", () => {
    const wide = `| name | text |\n|---|---|\n| one | ${"x".repeat(60)} |`;
    assert.equal(renderMarkdown(wide, plainText), `• name: one; text: ${"x".repeat(60)}`);
  });
});

const plainSample = `Flight plan

Sandals bold, slanted, gone, a < b, both and raw & 2 * 3.
A soft break
and a hard one, a link (https://example.org/a?b=1&c=2), by name (https://example.org/ref), https://example.org/bare and odd.

Small heading

> A quote
>
> > inside a quote
>
> - with a list

- one
  1. first
  2. second
- two

3. three
4. four

☑ done
☐ open

const a = "<&>"; // *not slanted*

name | wings
-----+------
Ada  |     2
李   |   a b

A picture (https://example.org/i.png)

———

Told[1] @everyone <@1>.

[1] The reason.`;
