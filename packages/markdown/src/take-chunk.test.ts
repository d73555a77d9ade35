import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { openFence } from "./open-fence.ts";
import { Ruler } from "./ruler.ts";
import { atOnce } from "./steps.ts";
import { takeChunk } from "./take-chunk.ts";
import { visibleText } from "./visible-text.ts";

const upTo = (length: number) => new Ruler((chunk) => chunk.length, length);

const word = fc.constantFrom(
  "sandal",
  "wing",
  "Hermes",
  "a",
  "herald.",
  "Go!",
  "snake_case",
  "2 * 3",
  "é",
  "👩‍👩‍👧",
  "a\\*b",
  "&amp;",
  "\\_",
);
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "));
const inline = fc.oneof(
  { weight: 4, arbitrary: words },
  words.map((text) => `**${text}**`),
  words.map((text) => `*${text}*`),
  words.map((text) => `~~${text}~~`),
  fc.tuple(words, words).map(([one, other]) => `**${one} *${other}* end**`),
  fc.constant("`code with  blanks`"),
  words.map((text) => `<b>${text}</b> a<br>b`),
  fc.constantFrom("\\(a_1 \\cdot b\\)", "$x^2 + y$", "$$z = 1$$"),
  words.map((text) => `[${text}](https://example.org/a_b?c=d)`),
);
const paragraph = fc.array(inline, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(" "));
const lines = fc.array(
  fc.constantFrom("let a = b * c;", "", "  if (x) {", "# no heading", "- no item", "| no | table |", "x".repeat(70)),
  { minLength: 1, maxLength: 12 },
);
const fence = fc
  .tuple(fc.constantFrom("```", "````", "~~~", "~~~~~"), fc.constantFrom("", "ts", "js title=a"), lines)
  .map(([marker, info, body]) => [marker + info, "let first;", ...body, marker].join("\n"));
const table = fc
  .array(fc.tuple(word, word), { minLength: 1, maxLength: 15 })
  .map((rows) => ["| a | b |", "| - | - |", ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join("\n"));
const formula = fc
  .tuple(
    fc.constantFrom(["\\[", "\\]"] as const, ["$$", "$$"] as const),
    fc.array(fc.constantFrom("a^2", "- b", "\\frac{c}{d} \\\\", "> 0"), { minLength: 1, maxLength: 30 }),
  )
  .map(([[open, close], body]) => [open, ...body, close].join("\n"));
const heading = fc.tuple(fc.integer({ min: 1, max: 6 }), words).map(([level, text]) => `${"#".repeat(level)} ${text}`);
const indent = (text: string, by: string) => text.replaceAll(/\n(?=.)/g, `\n${by}`);

const { block } = fc.letrec<{ block: string; list: string; quote: string }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    paragraph,
    formula,
    fence,
    table,
    heading,
    tie("list"),
    tie("quote"),
  ),
  list: fc
    .tuple(fc.constantFrom("- ", "* ", "1. "), fc.array(tie("block"), { minLength: 1, maxLength: 5 }))
    .map(([marker, items]) => items.map((item) => marker + indent(item, " ".repeat(marker.length))).join("\n\n")),
  quote: tie("block").map((text) => text.replaceAll(/^/gm, "> ")),
}));
const document = fc.array(block, { minLength: 1, maxLength: 6 }).map((blocks) => blocks.join("\n\n"));

/** What is repeated on purpose: table headers. */
const withoutHeaders = (text: string) => text.replaceAll("ab", "");

/** All chunks of a text; one without content gives none. */
function chunksOf(markdown: string, ruler: Ruler): readonly string[] {
  const chunks: string[] = [];
  for (let rest = markdown; rest.trim() !== ""; ) {
    const first = atOnce(takeChunk(rest, ruler));
    chunks.push(first.chunk);
    rest = first.rest;
  }
  return chunks;
}

describe("splitMarkdown", () => {
  it("loses nothing visible, fits, and closes what it opens, for any document and length", () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 120, max: 400 }), (text, length) => {
        const chunks = chunksOf(text, upTo(length));
        for (const chunk of chunks) {
          assert.ok(chunk.trim() !== "" && chunk.length <= length);
          assert.equal(openFence(chunk), undefined);
        }
        const shown = chunks.map(visibleText).join("");
        assert.ok(withoutHeaders(shown) === withoutHeaders(visibleText(text)), JSON.stringify(chunks, null, 1));
      }),
      { numRuns: 300 },
    );
  });

  it("ends, with chunks that fit, for any soup of markup", () => {
    const soup = fc.array(
      fc.constantFrom(
        "*",
        "_",
        "`",
        "```",
        "~~~",
        "[",
        "](",
        ")",
        "\\",
        "|",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "#",
        " ",
        "a",
        "&amp;",
        "<b>",
        "\\(",
        "\\]",
        "$$",
        "👍🏽",
        "\ud800",
      ),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(soup, fc.integer({ min: 8, max: 60 }), (parts, length) => {
        const chunks: string[] = [];
        for (let rest = parts.join(""); rest.trim() !== ""; ) {
          const first = atOnce(takeChunk(rest, upTo(length)));
          assert.ok(first.rest.length < rest.length, JSON.stringify(rest));
          chunks.push(first.chunk);
          rest = first.rest;
        }
        for (const chunk of chunks) assert.ok(chunk !== "" && chunk.length <= length, JSON.stringify(chunk));
        const letters = (text: string) => text.replaceAll(/[^a👍]/gu, "").length;
        assert.ok(letters(chunks.join("")) >= letters(parts.join("")), JSON.stringify(chunks));
      }),
      { numRuns: 500 },
    );
  });

  it("leaves a text that fits as it is, and makes nothing of blanks", () => {
    assert.deepEqual(chunksOf(" a\n\n```\nb", upTo(100)), [" a\n\n```\nb"]);
    assert.deepEqual(chunksOf(" \n\t\n", upTo(100)), []);
  });

  it("gives links by name their address in each part", () => {
    const lines = Array.from({ length: 9 }, (_, n) => `Part ${n} says [the *docs* ${n}][${n}], ![pic][p] and [${n}].`);
    const sources = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `[${n}]: https://e.test/${n} "t"`);
    const text = [...lines, [...sources, "[p]: p.png"].join("\n"), "[unused]: https://u.test", "`[a][1]`"].join("\n\n");
    const chunks = chunksOf(text, upTo(200));
    assert.ok(chunks.length > 3);
    for (const n of sources.keys()) {
      const chunk = chunks.find((one) => one.includes(`Part ${n} `)) ?? "";
      assert.ok(
        chunk.includes(`[the *docs* ${n}](<https://e.test/${n}>), ![pic](<p.png>) and [${n}](<https://e.test/${n}>).`),
        chunk,
      );
    }
    assert.match(chunks.join("\n\n"), /\n\n\[unused\]: https:\/\/u\.test\n\n`\[a\]\[1\]`$/);
    assert.doesNotMatch(chunks.join("\n"), /^\[\d\]:/m);
  });

  it("prefers the boundary of blocks and keeps a heading with its text", () => {
    const text = `${"One two. ".repeat(8).trim()}\n\n# Title\n\n${"Three four. ".repeat(8).trim()}`;
    const chunks = chunksOf(text, upTo(120));
    assert.equal(chunks.length, 2);
    assert.match(chunks[1] ?? "", /^# Title/);
  });

  for (const fenceOf of ["```", "````js", "~~~", "~~~sh title"]) {
    it(`closes and opens ${fenceOf} again`, () => {
      const marker = /^(`+|~+)/.exec(fenceOf)?.[0];
      const chunks = chunksOf(`${fenceOf}\n${"line ``` x\n".repeat(30)}${marker}\n\nend`, upTo(100));
      assert.ok(chunks.length > 3);
      for (const chunk of chunks.slice(0, -1))
        assert.ok(chunk.startsWith(`${fenceOf}\n`) && chunk.endsWith(`\n${marker}`), chunk);
    });
  }

  it("splits an unclosed fence, and one inside a list inside a quote", () => {
    const code = "let a;\n".repeat(40);
    const open = chunksOf(`\`\`\`ts\n${code}`, upTo(100));
    assert.ok(open.every((chunk) => chunk.startsWith("```ts\n") && chunk.endsWith("```") === (chunk !== open.at(-1))));
    const nested = `- a\n  \`\`\`ts\n${code}  \`\`\``.replaceAll(/^let/gm, "  let").replaceAll(/^/gm, "> ");
    for (const chunk of chunksOf(nested, upTo(100))) assert.match(chunk, /> +```ts\n(> +let a;\n)+> +```$|> +```ts\n/);
  });

  it("repeats the header of a table", () => {
    const chunks = chunksOf(`|head|er|\n|-|-|\n${"|some|cell|\n".repeat(20)}`, upTo(100));
    for (const chunk of chunks) assert.match(chunk, /^\|head\|er\|\n\|-\|-\|\n(\|some\|cell\|\n?)+$/);
  });

  it("goes on counting a list whose items are all numbered 1", () => {
    const chunks = chunksOf("1. an item of a list\n".repeat(12), upTo(100));
    assert.match(chunks[1] ?? "", /^5\. an item of a list\n1\. /);
  });

  it("keeps the indentation of what it has not looked at, behind an item that is numbered anew", () => {
    const first = `1. ${"word ".repeat(18)}\n\n`;
    for (let length = 900; length < 1_200; length += 1) {
      const code = `1. \`\`\`\n   ${"x".repeat(length)}\n   \`\`\`\n\nend`;
      const { rest } = atOnce(takeChunk(first + code, upTo(100)));
      assert.equal(rest, code.replace("1.", "2."));
    }
  });

  it("closes and reopens emphasis, and keeps links whole", () => {
    const text = `**${"bold words ".repeat(20).trim()}** [a link of several words](https://example.org/path)`;
    const chunks = chunksOf(text, upTo(90));
    for (const chunk of chunks.slice(0, -2)) assert.match(chunk, /^\*\*\w.*\w\*\*$/);
    assert.match(chunks.at(-1) ?? "", /\[a link of several words\]\(https:\/\/example\.org\/path\)$/);
  });

  it("cuts neither escapes nor surrogate pairs nor graphemes", () => {
    for (const unit of ["\\*", "👍", "👩‍👩‍👧", "&amp;", "é"]) {
      for (const chunk of chunksOf(unit.repeat(200), upTo(50))) assert.equal(chunk.length % unit.length, 0);
    }
  });

  it("cuts a grapheme that is longer than a message", () => {
    const chunks = chunksOf(`a${"\u0301".repeat(10_000)}`, upTo(1_000));
    assert.equal(chunks.join("").length, 10_001);
  });

  it("splits 1 MB without a space", () => {
    assert.equal(chunksOf("x".repeat(2 ** 20), upTo(4_096)).length, 2 ** 20 / 4_096);
  });
});
