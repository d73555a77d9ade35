import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { htmlToText } from "./html-text.ts";

const cases: readonly (readonly [what: string, html: string, text: string])[] = [
  ["paragraphs and breaks", "<p>one<br>two</p><p>three</p>", "one\ntwo\n\nthree"],
  ["divisions", "<div>one</div><div>two</div>", "one\ntwo"],
  ["white space", "<p>  a \n\t b&nbsp;c </p>", "a b c"],
  ["references to characters", "&lt;b&gt; &amp; &auml;&#246;&#xFC; &euro; &unknown;", "<b> & äöü € &unknown;"],
  ["lists", "<ul><li>one</li><li>two</li></ul>", "- one\n- two"],
  [
    "links",
    '<a href="https://example.org/?a=1&amp;b=2">here</a> <a href="https://x.test">https://x.test</a>',
    "here (https://example.org/?a=1&b=2) https://x.test",
  ],
  [
    "a link that only looks like another",
    '<a href="https://evil.test">https://bank.test</a>',
    "https://bank.test (https://evil.test)",
  ],
  ["a script for an address", '<a href="javascript:x">here</a>', "here"],
  [
    "quotes",
    "<p>mine</p><blockquote><p>old</p><blockquote>older</blockquote></blockquote>",
    "mine\n\n> old\n\n> > older",
  ],
  ["code", "<pre>a\n  b</pre>", "a\n  b"],
  ["tables", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", "a b\nc d"],
  ["what is no text", "<head><title>t</title><style>p{}</style></head><script>x()</script><!-- c -->hi", "hi"],
  ["pictures by their words", '<img src="x" alt="a cat"> <img src="y">', "[a cat]"],
  ["broken markup", "<p>a <b>b</p> c < d <i", "a b\n\nc < d <i"],
];

describe("HTML as text", () => {
  for (const [what, html, text] of cases) it(what, () => assert.equal(htmlToText(html).text, text));

  it("is quick with HTML that is built to be slow", () => {
    // Of the processor: neighbours on the same machine cost time too.
    const began = process.threadCpuUsage();
    for (const hostile of [
      "<".repeat(100_000),
      "<div>".repeat(50_000),
      `<a ${"x='".repeat(30_000)}`,
      "<!--".repeat(50_000),
      '<a href="https://a.test">x</a>'.repeat(5_000),
      "<p>x</p>".repeat(20_000),
    ])
      htmlToText(hostile);
    const { user, system } = process.threadCpuUsage(began);
    assert.ok(user + system < 10_000_000, `took ${(user + system) / 1_000} ms`);
  });
});
