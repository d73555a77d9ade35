import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderMarkdown } from "@talaria/markdown";
import { markdownSample } from "@talaria/testkit";
import { html, htmlBody } from "./html-body.ts";

const cell = (tag: "th" | "td", inner: string, side: string) =>
  `<${tag} style="border:1px solid #ccc;padding:4px 8px;text-align:${side}">${inner}</${tag}>`;
const row = (tag: "th" | "td", ...cells: readonly string[]) =>
  `<tr>${cells.map((inner, n) => cell(tag, inner, n === 0 ? "left" : "right")).join("")}</tr>`;

describe("the HTML of a mail", () => {
  it("shows every piece of Markdown", () => {
    const written = htmlBody(markdownSample);
    const pieces = [
      "<h1>Flight <em>plan</em></h1>",
      "<p>Sandals <strong>bold</strong>, <em>slanted</em>, <del>gone</del>, <code>a &lt; b</code>, ",
      "<strong>raw</strong> &amp; 2 * 3.",
      '<a href="https://example.org/a?b=1&amp;c=2">a link</a>',
      '<a href="https://example.org/ref">by name</a>',
      "and odd.",
      "<h4>Small heading</h4>",
      "<blockquote>\n<p>A quote</p>\n<blockquote>\n<p>inside a quote</p>\n</blockquote>",
      "<ol>\n<li>first</li>\n<li>second</li>\n</ol>",
      '<ol start="3">\n<li>three</li>\n<li>four</li>\n</ol>',
      "<li>☑ done</li>\n<li>☐ open</li>",
      "const a = &quot;&lt;&amp;&gt;&quot;; // *not slanted*</code></pre>",
      `${row("th", "name", "wings")}\n${row("td", "Ada", "<strong>2</strong>")}\n${row("td", "李", "<code>a b</code>")}`,
      '<a href="https://example.org/i.png">A picture</a>',
      "<hr>",
      "<p>[1] The reason.</p>",
    ];
    for (const piece of pieces) assert.ok(written.includes(piece), `${piece}\nis not in\n${written}`);
  });

  it("keeps the paragraphs of an item apart, and tags over paragraphs", () => {
    const written = renderMarkdown("- a\n\n  **b**\n  - c\n\n  d\n\n<b>e\n\nf</b>", html);
    assert.equal(
      written,
      "<ul>\n<li>a\n<br>\n<strong>b</strong>\n<ul>\n<li>c</li>\n</ul>\nd</li>\n</ul>\n<p><strong>e</strong></p>\n<p><strong>f</strong></p>",
    );
  });

  it("shows columns at the side they have", () => {
    const table = renderMarkdown("| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |", html);
    assert.deepEqual(table.match(/(?<=text-align:)\w+/g), ["center", "right", "left", "center", "right", "left"]);
  });

  it("turns what is read from the right, and nothing else", () => {
    const written = renderMarkdown(
      "npm يثبت الحزمة (v2.3.1).\n\nPlain.\n\n# تقرير\n\n1. أولا\n2. second\n\n> اقتباس\n\n| المدينة | السكان |\n|---|--:|\n| Rome | 42 |\n| القاهرة الكبرى | 7 |\n\n- one\n- اثنان وثلاثة\n- three and four\n\n```\nكود\n```",
      html,
    );
    const tags = [...written.matchAll(/<(\w+)(?: dir="(\w+)")?[ >]/g)].map(([, tag, dir = ""]) =>
      `${tag} ${dir}`.trim(),
    );
    assert.deepEqual(tags, [
      ...["p rtl", "p", "h1 rtl", "ol", "li rtl", "li", "blockquote rtl", "p rtl"],
      ...["table rtl", "tr", "th", "th", "tr", "td ltr", "td", "tr", "td", "td"],
      ...["ul", "li", "li rtl", "li", "pre ltr", "code"],
    ]);
    assert.deepEqual(written.match(/(?<=text-align:)\w+/g), ["right", "right", "right", "right", "right", "right"]);
  });

  it("shows words in the order they are written in", () =>
    assert.equal(renderMarkdown("pay \u202Eeve\u202C &#x202E;now", html), "<p>pay eve now</p>"));

  it("shows the address of what is no link in mail", () =>
    assert.equal(
      renderMarkdown("[call](tel:+49) [map](geo:1,2) [doc](docs/a.md) <xmpp:a@b.test>", html),
      '<p><a href="tel:+49">call</a> map (geo:1,2) doc (docs/a.md) xmpp:a@b.test</p>',
    ));

  it("lets nothing act", () => {
    const hostile =
      '[a](javascript:x) [b](data:text/html,x) ![c](file:///etc/passwd) [d](https://x.test/"onclick=x) <img src=x onerror=x>\n\n<script>x</script>';
    const written = renderMarkdown(hostile, html);
    assert.doesNotMatch(written, /<(?!\/?(?:p|a)\b)|javascript:|data:|"file:|"onclick/);
  });
});
