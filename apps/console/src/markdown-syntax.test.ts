import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Marked } from "marked";
// @ts-expect-error: a script of the pages
import { growing, syntax } from "./public/markdown-syntax.js";

describe("the console's Markdown", () => {
  const marked = new Marked({ gfm: true, breaks: true }, syntax);
  const cases: Readonly<Record<string, readonly [markdown: string, html: string]>> = {
    "formulas in a line": [
      "So \\(\\frac{a}{b}\\) is $x_1*y_1$, $$a\\\\b$$ and **\\[c_1 < d_1\\]**.",
      "<p>So <code data-formula>\\frac{a}{b}</code> is <code data-formula>x_1*y_1</code>, <code data-formula>a\\\\b</code> and <strong><code data-formula>c_1 &lt; d_1</code></strong>.</p>\n",
    ],
    "formulas by themselves": [
      "So:\n\\[\n\\begin{aligned}\na &= b\\\\\nc_1 &= d_1\n\\end{aligned}\n\\]\nand\n\n$$\nx\n$$\n",
      "<p>So:</p>\n<pre data-formula><code>\\begin{aligned}\na &amp;= b\\\\\nc_1 &amp;= d_1\n\\end{aligned}</code></pre><p>and</p>\n<pre data-formula><code>x</code></pre>",
    ],
    "formulas without signs around them": [
      "So\n\\begin{cases}\na_1 \\\\\nb\n\\end{cases}\n",
      "<p>So</p>\n<pre data-formula><code>\\begin{cases}\na_1 \\\\\nb\n\\end{cases}</code></pre>",
    ],
    "prices, names, code": [
      "$5 and $10, $HOME, `\\(x\\)`, file\\(s\\)\n\n```\n\\[x\\]\n```",
      "<p>$5 and $10, $HOME, <code>\\(x\\)</code>, file(s)</p>\n<pre><code>\\[x\\]\n</code></pre>\n",
    ],
    "arithmetic and chemistry": [
      "2*3*4 and H~2~O, *so* ~~gone~~",
      "<p>2*3*4 and H~2~O, <em>so</em> <del>gone</del></p>\n",
    ],
    "what is no tag of HTML": [
      "Replace <name> with yours, and use List<String> or Map<K, V>. Press <Enter>. std::vector<int> v, **<T>**",
      "<p>Replace &lt;name&gt; with yours, and use List&lt;String&gt; or Map&lt;K, V&gt;. Press &lt;Enter&gt;. std::vector&lt;int&gt; v, <strong>&lt;T&gt;</strong></p>\n",
    ],
    "comparisons without blanks": ["If a<b and b>c then stop", "<p>If a&lt;b and b&gt;c then stop</p>\n"],
    "placeholders on lines of their own": [
      "<name>\n**a**\n\n- <key>\n\n| <K> |\n| - |\n| <V> |",
      "<p>&lt;name&gt;<br><strong>a</strong></p>\n<ul>\n<li>&lt;key&gt;</li>\n</ul>\n<table>\n<thead>\n<tr>\n<th>&lt;K&gt;</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>&lt;V&gt;</td>\n</tr>\n</tbody></table>\n",
    ],
    "pairs, and halves of them as words": [
      "<b>a <i>*b*</i></b> <kbd>K</kbd><br>List<b> c</u> <i>d List<section>",
      "<p><b>a <i><em>b</em></i></b> <kbd>K</kbd><br>List&lt;b&gt; c&lt;/u&gt; &lt;i&gt;d List&lt;section&gt;</p>\n",
    ],
    "pairs over several paragraphs, items and cells": [
      "<b>a\n\n- c\n- d\n\n> e <i>f\n\n| g | h |\n|-|-|\n\ni</i></b> j\n\n<strong>\n\nk\n\n</strong>\n\nList<b> l\n\nm</b>",
      "<p><b>a</b></p>\n<ul>\n<li><b>c</b></li>\n<li><b>d</b></li>\n</ul>\n<blockquote>\n<p><b>e <i>f</i></b></p>\n</blockquote>\n<table>\n<thead>\n<tr>\n<th><b><i>g</i></b></th>\n<th><b><i>h</i></b></th>\n</tr>\n</thead>\n</table>\n<p><b><i>i</i></b> j</p>\n<p><strong></strong></p>\n<p><strong>k</strong></p>\n<p><strong></strong></p>\n<p>List&lt;b&gt; l</p>\n<p>m&lt;/b&gt;</p>\n",
    ],
    "hard breaks as lines": [
      "a  \nb\\\nc<br>d\n\n- e\\\n  f\n\n> g\\\n> h",
      "<p>a<br>b<br>c<br>d</p>\n<ul>\n<li>e<br>f</li>\n</ul>\n<blockquote>\n<p>g<br>h</p>\n</blockquote>\n",
    ],
    "blocks of HTML, with words in them": [
      "<details>\n<summary>a <b></summary>\nList<String> <!-- c --> <img src=x alt=y> < z <scr\n\n**b**\n\n</details>",
      '<details>\n<summary>a &lt;b&gt;</summary>\nList&lt;String&gt;  <a href="x">y</a> &lt; z &lt;scr<p><strong>b</strong></p>\n</details>',
    ],
    "links in HTML, and the addresses behind a type": [
      '<a href="https://e.test">https://f.test</a> List<a> https://g.test',
      '<p><a href="https://e.test">https://f.test</a> List&lt;a&gt; <a href="https://g.test">https://g.test</a></p>\n',
    ],
    "rows with more cells than the head": [
      "a | b\n- | -\n`c || d` | https://e.test\n| e | f | g | `h` |\n| `x|y` | z\\|\n| i |\n\nend",
      "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody><tr>\n<td><code>c || d</code></td>\n" +
        '<td><a href="https://e.test">https://e.test</a></td>\n</tr>\n' +
        "<tr>\n<td>e</td>\n<td>f | g | <code>h</code></td>\n</tr>\n<tr>\n<td><code>x|y</code></td>\n<td>z|</td>\n</tr>\n" +
        "<tr>\n<td>i</td>\n<td></td>\n</tr>\n</tbody></table>\n<p>end</p>\n",
    ],
    "what would run as words": [
      "<script>a()</script>\n\nb <svg onload=a()> <iframe src=x></iframe>\n\n<style>\np {}\n</style>",
      "<p>&lt;script&gt;a()&lt;/script&gt;</p>\n<p>b &lt;svg onload=a()&gt; &lt;iframe src=x&gt;&lt;/iframe&gt;</p>\n<p>&lt;style&gt;<br>p {}<br>&lt;/style&gt;</p>\n",
    ],
    "code within tags": [
      "<code>a < b</code> and <pre>x\n\ny</pre>",
      "<p><code>a &lt; b</code> and &lt;pre&gt;x</p>\n<p>y&lt;/pre&gt;</p>\n",
    ],
    "alerts as quotes with a title": [
      "> [!NOTE]\n> Read *this*.\n\n> [!tip] a & b\n\n> [!CAUTION]\n>\n> - c\n\n[!NOTE]",
      "<blockquote>\n<p><strong>Note</strong><br>Read <em>this</em>.</p>\n</blockquote>\n<blockquote>\n<p><strong>Tip</strong><br>a &amp; b</p>\n</blockquote>\n" +
        "<blockquote>\n<p><strong>Caution</strong></p>\n<ul>\n<li>c</li>\n</ul>\n</blockquote>\n<p>[!NOTE]</p>\n",
    ],
    "links by name": [
      "[a *b*][1] and [Spec][]\n\n[1]: https://e.test 'T'\n[spec]: https://s.test",
      '<p><a href="https://e.test" title="T">a <em>b</em></a> and <a href="https://s.test">Spec</a></p>\n',
    ],
    "words in the order they are written in": [
      "a\u202Eb\u202C &#x202E;c `d\u2066e\u2069` \u2067שלום\u2069 \u2067f\u2069\n\n```\ng\u202E\u2066h\u2069\n```",
      "<p>ab c <code>de</code> \u2067שלום\u2069 f</p>\n<pre><code>gh\n</code></pre>\n",
    ],
    pictures: ['![a "b"](https://e.test/p.png)', '<p><a href="https://e.test/p.png">a &quot;b&quot;</a></p>\n'],
  };
  for (const [name, [markdown, html]] of Object.entries(cases))
    it(`shows ${name}`, () => assert.equal(marked.parse(markdown), html));

  it("looks for formulas near the place that is read alone, which finds all of them", () => {
    const read = (text: string) => marked.parse(text, { async: false });
    const words = "word https://e.test/a and ".repeat(200);
    const shown = read(`${words}$x^2$ ${words}\n\n${words}\n$$\ny\n$$\n`);
    assert.equal(shown.match(/<code data-formula>x\^2<\/code>/g)?.length, 1);
    assert.equal(shown.match(/<pre data-formula><code>y<\/code><\/pre>/g)?.length, 1);
    assert.equal(shown.match(/<a href="https:\/\/e\.test\/a">https:\/\/e\.test\/a<\/a> and /g)?.length, 600);
    for (const { start } of syntax.extensions) {
      const found = start(`${words.repeat(10)}\n\n\n$$\ny\n$$`);
      assert.ok(found === undefined || found <= 1_000);
    }
    assert.equal(read("a  \nb ".repeat(500)).match(/<br>/g)?.length, 500);
  });

  it("marks up what grows from the first word on", () => {
    const partial = new Marked({ gfm: true, breaks: true }, syntax, growing);
    assert.equal(partial.parse("<b>a\n\n- b <i>c"), "<p><b>a</b></p>\n<ul>\n<li><b>b <i>c</i></b></li>\n</ul>\n");
    assert.equal(marked.parse("<b>a\n\nb"), "<p>&lt;b&gt;a</p>\n<p>b</p>\n");
  });
});
