import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Marked } from "marked";
// @ts-expect-error: a script of the pages
import { syntax } from "./public/markdown-syntax.js";

describe("the console's Markdown", () => {
  const marked = new Marked({ gfm: true, breaks: true }, syntax);
  const cases: Readonly<Record<string, readonly [markdown: string, html: string]>> = {
    "formulas in a line": [
      "So \\(\\frac{a}{b}\\) is $x_1*y_1$, $$a\\\\b$$ and **\\[c_1 < d_1\\]**.",
      "<p>So <code>\\frac{a}{b}</code> is <code>x_1*y_1</code>, <code>a\\\\b</code> and <strong><code>c_1 &lt; d_1</code></strong>.</p>\n",
    ],
    "formulas by themselves": [
      "So:\n\\[\n\\begin{aligned}\na &= b\\\\\nc_1 &= d_1\n\\end{aligned}\n\\]\nand\n\n$$\nx\n$$\n",
      "<p>So:</p>\n<pre><code>\\begin{aligned}\na &amp;= b\\\\\nc_1 &amp;= d_1\n\\end{aligned}</code></pre><p>and</p>\n<pre><code>x</code></pre>",
    ],
    "formulas without signs around them": [
      "So\n\\begin{cases}\na_1 \\\\\nb\n\\end{cases}\n",
      "<p>So</p>\n<pre><code>\\begin{cases}\na_1 \\\\\nb\n\\end{cases}</code></pre>",
    ],
    "prices, names, code": [
      "$5 and $10, $HOME, `\\(x\\)`, file\\(s\\)\n\n```\n\\[x\\]\n```",
      "<p>$5 and $10, $HOME, <code>\\(x\\)</code>, file(s)</p>\n<pre><code>\\[x\\]\n</code></pre>\n",
    ],
    "arithmetic and chemistry": [
      "2*3*4 and H~2~O, *so* ~~gone~~",
      "<p>2*3*4 and H~2~O, <em>so</em> <del>gone</del></p>\n",
    ],
    pictures: ['![a "b"](https://e.test/p.png)', '<p><a href="https://e.test/p.png">a &quot;b&quot;</a></p>\n'],
  };
  for (const [name, [markdown, html]] of Object.entries(cases))
    it(`shows ${name}`, () => assert.equal(marked.parse(markdown), html));
});
