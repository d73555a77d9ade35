import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { plainText } from "./plain-text.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { Ruler } from "./ruler.ts";
import { spreadTags } from "./spread-tags.ts";
import { tailThatFits } from "./tail-that-fits.ts";
import { takeChunk } from "./take-chunk.ts";
import { toCommonMarkdown } from "./to-common-markdown.ts";

const marked = (markdown: string) =>
  renderMarkdown(markdown, { ...plainText, strong: (inner) => `{${inner}}`, emphasis: (inner) => `/${inner}/` });

describe("tags that go over several paragraphs", () => {
  const cases: Readonly<Record<string, readonly [markdown: string, shown: string]>> = {
    "two paragraphs": ["<b>one\n\ntwo</b> three", "{one}\n\n{two} three"],
    "paragraphs between, a heading, items and quotes": [
      "<b>a\n\n# b\n\n- c\n- [x] d\n\n> e\n\nf</b>\n\ng",
      "{a}\n\n{b}\n\n- {c}\n☑ {d}\n\n> {e}\n\n{f}\n\ng",
    ],
    "tags on lines of their own": ["<strong>\n\none\n\ntwo\n\n</strong>\n\nthree", "{one}\n\n{two}\n\nthree"],
    "tags within tags": ["<b>a <i>b\n\nc</i> d</b>", "{a /b/}\n\n{/c/ d}"],
    "tags with attributes, and one after the other": [
      '<b class="x">a\n\nb</b>\n\n<B>c\n\nd</B>',
      "{a}\n\n{b}\n\n{c}\n\n{d}",
    ],
    "what is marked already": ["<b>a **b**\n\n**c**</b>", "{a b}\n\n{c}"],
    "code and fences as they are": ["<b>a\n\n```\n<b>\n```\n\n`</b>` c</b>", "{a}\n\n<b>\n\n{</b> c}"],
    "types and halves as words": [
      "List<b> is\n\na type</b>\n\nx <i> y\n\nz",
      "List<b> is\n\na type</b>\n\nx <i> y\n\nz",
    ],
  };
  for (const [name, [markdown, shown]] of Object.entries(cases))
    it(`mark up ${name}`, () => assert.equal(marked(markdown), shown));

  it("are signs for platforms that read Markdown themselves", () => {
    assert.equal(toCommonMarkdown("<b>one\n\n- two\n- three</b>"), "**one**\n\n- **two**\n- **three**");
  });

  it("are whole in each part of a text that is cut", () => {
    const text = `<b>${Array.from({ length: 20 }, (_, n) => `word ${n}`).join("\n\n")}</b> end`;
    const ruler = new Ruler((piece) => marked(piece).length, 60);
    let rest = text;
    let shown = "";
    while (rest !== "") {
      const cut = done(takeChunk(rest, ruler));
      shown += `${marked(cut.chunk)}\n\n`;
      rest = cut.rest;
    }
    assert.doesNotMatch(shown, /[<>]/);
    assert.equal(shown.match(/\{word \d+\}/g)?.length, 20);
  });

  it("are marks from the first word on while a text grows", () => {
    const text = "<b>one\n\ntwo <i>three\n\nfour</i> five</b> six";
    for (let length = 1; length <= text.length; length += 1)
      assert.doesNotMatch(marked(grown(text.slice(0, length))), /[<>]/, text.slice(0, length));
    assert.equal(marked(grown(text.slice(0, 12))), "{one}\n\n{two}");
  });

  it("cost no more than a text that is some times as long, whatever opens", () => {
    const text = `${"<b> <i> <u> <s> ".repeat(2_000)}\n\n${"a\n\n".repeat(2_000)}${"</b> </i> </u> </s>".repeat(2_000)}`;
    assert.ok(spreadTags(text).length < 3 * text.length);
  });

  it("lose no word", () => {
    const piece = fc.constantFrom(
      "a",
      "b ",
      "<b>",
      "</b>",
      "<i>",
      "</i>",
      "\n\n",
      "\n",
      "- ",
      "> ",
      "# ",
      "|",
      "`",
      "*",
    );
    const letters = (text: string) => renderMarkdown(text, plainText).replaceAll(/<\/?[bi]>|[^ab]/g, "");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        assert.equal(letters(spreadTags(text)), letters(text));
      }),
    );
  });
});

function grown(text: string): string {
  return done(tailThatFits(text, new Ruler((piece) => piece.length, 1_000)));
}

function done<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
