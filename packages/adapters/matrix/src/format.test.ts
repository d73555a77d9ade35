import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderHtml } from "./format.ts";
import { measure, textFields } from "./outbound.ts";

const golden: readonly [name: string, markdown: string, html: string | undefined][] = [
  ["plain text needs no HTML", "one\n\ntwo & <three>", undefined],
  ["emphasis", "**a** *b* ~~c~~ `d<e`", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d&lt;e</code></p>"],
  ["headings", "# One\n\ntext", "<h1>One</h1>\n<p>text</p>"],
  ["a tight list", "- a\n- b\n  - c", "<ul><li>a</li><li>b\n<ul><li>c</li></ul></li></ul>"],
  [
    "paragraphs of an item",
    "- a\n\n  **b**\n\n  ```\n  c\n  ```\n\n  d\n- e[^1]\n\n[^1]: f\n\n    g",
    "<ul><li>a\n<br><strong>b</strong>\n<pre><code>c\n</code></pre>\nd</li><li>e<sup>1</sup></li></ul>\n<p><sup>1</sup> f\n<br>g</p>",
  ],
  ["tags over paragraphs", "<b>a\n\n- b</b>", "<p><strong>a</strong></p>\n<ul><li><strong>b</strong></li></ul>"],
  ["an ordered list that begins later", "3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
  ["boxes", "- [x] done\n- [ ] open", "<ul><li>☑ done</li><li>☐ open</li></ul>"],
  ["a quote", "> said\n> more", "<blockquote><p>said<br>more</p></blockquote>"],
  ["code with a language", "```ts\na < b\n```", '<pre><code class="language-ts">a &lt; b\n</code></pre>'],
  ["a language that is none", '```"><script>\nx\n```', "<pre><code>x\n</code></pre>"],
  [
    "a table",
    "| a | b |\n|---|---|\n| 1 | **2** |",
    "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>",
  ],
  [
    "the sides of columns",
    "| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |",
    '<table><thead><tr><th align="center">a</th><th align="right">b</th><th>c</th></tr></thead><tbody><tr><td align="center">1</td><td align="right">2</td><td>3</td></tr></tbody></table>',
  ],
  ["an override of the direction", "a\u202Ebc", "<p>abc</p>"],
  ["a link", '[x](https://e.org/?a="b&c)', '<p><a href="https://e.org/?a=&quot;b&amp;c">x</a></p>'],
  [
    "addresses that are no links beside their text",
    "[call](tel:+49) [m](magnet:?x=1) <geo:1,2> [doc](docs/a.md 't') ![p](p.png) [x][1]\n\n[1]: matrix:r/a:b.test\n[2]: https://c.test",
    '<p>call (tel:+49) <a href="magnet:?x=1">m</a> geo:1,2 doc (docs/a.md) p (p.png) x (matrix:r/a:b.test)</p>\n<p>[2]: <a href="https://c.test">https://c.test</a></p>',
  ],
  ["a link that would run", "[x](javascript:alert(1)) **b**", "<p>x <strong>b</strong></p>"],
  ["a picture", "![alt](https://e.org/a.png)", '<p><a href="https://e.org/a.png">alt</a></p>'],
  ["HTML by its meaning", "<b>x</b><br>y<sub>2</sub>", "<p><strong>x</strong><br>y<sub>2</sub></p>"],
  ["what plain text would show otherwise", "a\\*b<br>c <!-- d -->", "<p>a*b<br>c</p>"],
  ["programs stay words", "<script>x</script> **y**", "<p>&lt;script&gt;x&lt;/script&gt; <strong>y</strong></p>"],
  [
    "formulas, as code for clients that know none",
    'so \\(a_1\\,"b\\)\n\n$$\na < b\n$$',
    '<p>so <span data-mx-maths="a_1\\,&quot;b"><code>a_1\\,&quot;b</code></span></p>\n' +
      '<div data-mx-maths="a &lt; b"><pre><code>a &lt; b</code></pre></div>',
  ],
  ["a rule", "a\n\n---\n\nb", "<p>a</p>\n<hr>\n<p>b</p>"],
];

describe("renderHtml", () => {
  for (const [name, markdown, html] of golden) it(name, () => assert.equal(renderHtml(markdown), html));

  it("never nests as deep as clients refuse, and loses no words", () => {
    for (const depth of [20, 70, 120, 300]) {
      const html = renderHtml(`${"> ".repeat(depth)}deep`) ?? "deep, as plain text";
      assert.match(html, /deep/);
      assert.ok((html.match(/<blockquote>/g) ?? []).length <= 60);
    }
  });
});

describe("the plain body", () => {
  const bodies: readonly [name: string, markdown: string, body: string][] = [
    ["has no tags", "a<br>b <b>c</b>\n\n| d<br>e |\n|--:|\n| f |", "a  \nb **c**\n\n| d e |\n|--:|\n| f |"],
    ["has formulas as code", "so \\(a_1\\)", "so `a_1`"],
    ["has no override of the direction", "a\u202Ebc\u202C, <!-- \u202E -->", "abc,"],
    ["is never empty", "<!-- a\u202E -->", "<!-- a -->"],
  ];
  for (const [name, markdown, body] of bodies) it(name, () => assert.equal(textFields(markdown).body, body));
});

describe("measure", () => {
  it("counts text and HTML as the event carries them, and nothing for nothing", () => {
    assert.equal(measure(" \n"), 0);
    assert.equal(measure("héllo"), 6);
    assert.equal(measure('a"b'), 4);
    assert.equal(measure("**a**"), 5 + "<p><strong>a</strong></p>".length);
  });
});
