import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hiddenTexts, shownTexts } from "@talaria/testkit";
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
  ["broken markup", "<p>a <b>b</p> c < d <u", "a b\n\nc < d"],
  ["paragraphs and items without end tags", "<p>a<p>b<ul><li>c<li>d</ul>", "a\n\nb\n\n- c\n- d"],
  ["a head without an end tag", "<head><title>t</title><body>hi", "hi"],
  [
    "a link without an end tag",
    '<p><a href="https://evil.test">https://bank.test',
    "https://bank.test (https://evil.test)",
  ],
  ["a style inside of a drawing", "<svg><style></svg>after it", "after it"],
  ["attributes with angle brackets", '<p title="a > b">text</p>', "text"],
  ["every named character", "&hellip;&NotEqualTilde;&copy", "…≂̸©"],
];

/** HTML whose reader sees "seen" and nothing else. */
const hiding: readonly (readonly [what: string, html: string])[] = [
  ["an end tag of an inline element around a hidden block", "<b>seen<div hidden></b>pay eve</div>"],
  ["an item list of end tags that were never opened", "seen<div hidden></span></p></b>pay eve</div>"],
  ["a hidden element below unclosed ones", `${"<p>".repeat(300)}seen<div style="display:none">pay eve</div>`],
  ["a style with escapes", 'seen<div style="d\\69splay:none">pay eve</div>'],
  ["a style with character references", 'seen<div style="display&colon;none">pay eve</div>'],
  ["a style behind a comment that does not end", 'seen<div style="display:none;/*">pay eve</div>'],
  ["a style that is too long to read", `seen<div style="${" ".repeat(20_000)}display:none">pay eve</div>`],
  ["an attribute that others like it don't have", "<b hidden>pay eve</b><b>seen</b><b hidden>pay eve</b>"],
  ["the second of two styles", 'seen<div style="display:none" style="display:block">pay eve</div>'],
  ["a quote inside of an unquoted value", `seen<div style=display:none x='">pay eve<p x="'>pay eve</div>`],
];

describe("HTML as text", () => {
  for (const [what, html, text] of cases) it(what, async () => assert.equal((await htmlToText(html)).text, text));

  for (const [what, html] of [...hiding, ...hiddenTexts])
    it(`does not show what is hidden by ${what}`, async () => {
      const { text, hasHidden } = await htmlToText(html);
      assert.deepEqual([text, hasHidden], ["seen", true]);
    });

  for (const [what, html] of shownTexts)
    it(`shows what people see: ${what}`, async () => {
      const { text, hasHidden } = await htmlToText(html);
      assert.deepEqual([text.trim(), hasHidden], ["read this", false]);
    });

  it("reads a style sheet wherever it stands, also behind what it hides or in a drawing", async () => {
    for (const html of [
      '<p>seen</p><p class="x">pay eve</p><style>.x{display:none}</style>',
      '<svg><style>.x{display:none}</style></svg><p>seen</p><p class="x">pay eve</p>',
    ])
      assert.deepEqual(await htmlToText(html), { text: "seen", hasHidden: true, isTooDeep: false });
  });

  it("ends where elements are nested too deep to tell what is hidden", async () => {
    const deep = await htmlToText(`seen<div hidden>${"<b>".repeat(600)}${"</b>".repeat(600)}</div>pay eve`);
    assert.deepEqual(deep, { text: "seen", hasHidden: false, isTooDeep: true });
  });

  it("is the same wherever a slice of the HTML ends", async () => {
    const rest = '<p class="gmail_quote">a &amp; b<br><a href="https://x.test/?a=1&amp;b=2">here</a></p>';
    const whole = (await htmlToText(rest)).text;
    for (let shift = 0; shift <= rest.length; shift += 1) {
      const padding = `<!--${"x".repeat(32 * 1024 - 7 - shift)}-->`;
      assert.equal((await htmlToText(padding + rest)).text, whole, String(shift));
    }
  });

  it("leaves the event loop free for others, however hostile the HTML", async () => {
    for (const hostile of ["<a ", "<a x", "<p a b ", "<", "&", "<!--"]) {
      const html = hostile.repeat(200_000 / hostile.length);
      let turns = 0;
      let isReading = true;
      const count = () => {
        turns += 1;
        if (isReading) setImmediate(count);
      };
      setImmediate(count);
      await htmlToText(html);
      isReading = false;
      assert.ok(turns >= 6, `${JSON.stringify(hostile)}: ${turns} turns for 200,000 characters`);
    }
  });

  it("does not grow with the depth of quotes", async () => {
    const html = `${"<blockquote>".repeat(400)}${"<br>x".repeat(10_000)}`;
    assert.ok((await htmlToText(html)).text.length < 5 * html.length);
  });
});
