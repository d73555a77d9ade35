import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { startTelegramServer } from "./emulator/index.ts";
import { measure, render } from "./format.ts";

const golden: readonly [name: string, markdown: string, html: string][] = [
  ["emphasis", "**b** *i* ~~s~~ `c<d`", "<b>b</b> <i>i</i> <s>s</s> <code>c&lt;d</code>"],
  ["nested emphasis", "***both*** **a *b* c**", "<i><b>both</b></i> <b>a <i>b</i> c</b>"],
  ["headings", "# One\n\n## Two *x*", "<b>One</b>\n\n<b>Two <i>x</i></b>"],
  ["lines", "a\nb  \nc\n\nd", "a\nb\nc\n\nd"],
  ["bullets", "- a\n- b\n  - c\n  - d\n- e", "• a\n• b\n  • c\n  • d\n• e"],
  ["tags over paragraphs", "<b>a\n\n- b\\\n  c</b> d", "<b>a</b>\n\n• <b>b\n  c</b> d"],
  ["numbers", "3. c\n4. d", "3. c\n4. d"],
  ["tasks", "- [x] done\n- [ ] open", "☑ done\n☐ open"],
  ["a code block", "```ts\na < b\n```", '<pre><code class="language-ts">a &lt; b</code></pre>'],
  ["a code block in an odd language", '```"><b>\nx\n```', "<pre>x</pre>"],
  ["a quote", "> a\n> > b\n\nc", "<blockquote>a\n\nb</blockquote>\n\nc"],
  ["a quote of so many letters", `> ${"a".repeat(800)}`, `<blockquote>${"a".repeat(800)}</blockquote>`],
  ["a longer one folded", `> ${"a".repeat(801)}`, `<blockquote expandable>${"a".repeat(801)}</blockquote>`],
  [
    "one of many lines folded",
    `${"> a\\\n".repeat(12)}> a`,
    `<blockquote expandable>${"a\n".repeat(12)}a</blockquote>`,
  ],
  ["a link", '[x](https://e.org/?a=1&b="2")', '<a href="https://e.org/?a=1&amp;b=&quot;2&quot;">x</a>'],
  ["a mail link", "[x](mailto:a@b.c) [p](tg://user?id=1)", 'x (a@b.c) <a href="tg://user?id=1">p</a>'],
  [
    "addresses that Telegram makes no links of",
    "[x](http://localhost:3000) [tel](tel:+49-1) [+49 1](tel:+491) [a@b.c](mailto:a@b.c)",
    "x (http://localhost:3000) tel (tel:+49-1) +49 1 a@b.c",
  ],
  ["a dangerous link", "[x](javascript:alert(1)) [y](./README.md)", "x y (./README.md)"],
  ["a bare address", "https://e.org/a", "https://e.org/a"],
  ["a reference", "[x][1]\n\n[1]: https://e.org", '<a href="https://e.org">x</a>'],
  ["an image", "![alt](https://e.org/i.png)", '<a href="https://e.org/i.png">alt</a>'],
  [
    "HTML by its meaning",
    '<b onclick="x">hi</b> <u>you</u> & <!-- c --> List<T> <a href="javascript:1">a</a><script>',
    "<b>hi</b> <u>you</u> &amp;  List&lt;T&gt; a&lt;script&gt;",
  ],
  ["a rule", "a\n\n---\n\nb", "a\n\n———\n\nb"],
  ["a footnote", "a[^n]\n\n[^n]: why", "a[n]\n\n[n] why"],
  ["a table", "| a | b |\n|---|---|\n| 1 | 李 |", "<pre>a | b\n--+---\n1 | 李</pre>"],
  ["a wide table", `| name | text |\n|---|---|\n| one | ${"x".repeat(60)} |`, `• name: one; text: ${"x".repeat(60)}`],
];

describe("render", () => {
  for (const [name, markdown, html] of golden) {
    it(`writes ${name}`, () => assert.equal(render(markdown).html, html));
  }

  it("measures what people see", () => {
    assert.equal(measure("**a** [b](https://example.org) `<`"), 5);
    assert.equal(measure("😀"), 2);
    for (const nothing of ["[1]: #a", "&nbsp;", " \n"]) assert.equal(measure(nothing), 0);
  });

  it("shows in the HTML exactly the text it measures", () => {
    fc.assert(
      fc.property(markdown(), (source) => {
        const { html, text } = render(source);
        assert.equal(visible(html), text);
      }),
    );
  });

  it("loses nothing that people wrote", () => {
    fc.assert(
      fc.property(markdown(), (source) => {
        const { text } = render(source);
        for (const word of source.match(/w\d+w/g) ?? []) assert.ok(text.includes(word), `${word} is lost`);
      }),
    );
  });

  it("is always accepted by Telegram", async () => {
    await using server = await startTelegramServer();
    const person = server.user({ first_name: "Ada" });
    const chat = server.privateChat(person);
    const post = async (body: object) =>
      fetch(`${server.apiRoot}/bot${server.token}/sendMessage`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ chat_id: chat.id, parse_mode: "HTML", ...body }),
      }).then((response) => response.json() as Promise<{ ok: boolean; description?: string }>);
    await fc.assert(
      fc.asyncProperty(markdown(), async (source) => {
        const answer = await post({ text: `.${render(source).html}` });
        assert.ok(answer.ok, answer.description);
      }),
      { numRuns: 150 },
    );
  });

  it("is quick with texts that are built to be slow", () => {
    for (const hostile of [
      "[".repeat(20_000),
      "> ".repeat(5_000),
      "*a ".repeat(10_000),
      `|${"a|".repeat(500)}\n|${"-|".repeat(500)}`,
    ])
      assert.ok(render(hostile).text.length > 0);
  });
});

/** Markdown of all kinds, with words `w1w`, `w2w` ... in places where people see them. */
function markdown(): fc.Arbitrary<string> {
  const word = fc.integer({ min: 0, max: 99 }).map((n) => `w${n}w`);
  const shapes = word.chain((text) =>
    fc.constantFrom(
      text,
      `**${text}**`,
      `*${text}* ~~${text}~~`,
      `\`${text}\``,
      `# ${text}`,
      `> ${text}`,
      `> - ${text}\n>   > ${text}`,
      `- ${text}\n  - [x] ${text}`,
      `1. ${text}\n\n   ${text}`,
      `\`\`\`js\n${text} < & >\n\`\`\``,
      `[${text}](https://example.org/?a&b)`,
      `[**${text}**](javascript:x)`,
      `![${text}](https://example.org/i.png)`,
      `| ${text} | b |\n|---|---|\n| \`c\` | ${text} |`,
      `<div>${text}</div>`,
      `${text}[^1]\n\n[^1]: ${text}`,
      `**${text} *${text}`,
      `<b>${text}</i>`,
      `&lt;${text}&amp;`,
    ),
  );
  const noise = fc.string({ unit: fc.constantFrom(..."*_~`[]()<>&#-|\n !\\\"'1."), maxLength: 12 });
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: shapes }, noise), { maxLength: 8 })
    .map((parts) => parts.join("\n\n"));
}

/** The text of Telegram's HTML dialect. */
function visible(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
