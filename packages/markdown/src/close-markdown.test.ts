import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closeMarkdown } from "./close-markdown.ts";
import { Ruler } from "./ruler.ts";
import { atOnce } from "./steps.ts";
import { tailThatFits as tailSteps } from "./tail-that-fits.ts";

describe("closeMarkdown", () => {
  const cases: Readonly<Record<string, readonly [partial: string, closed: string]>> = {
    "an open fence": ["a\n```ts\nlet b", "a\n```ts\nlet b\n```"],
    "a fence of four backticks": ["````\n```\nb", "````\n```\nb\n````"],
    "a fence in a list in a quote": ["> - ```\n>   b", "> - ```\n>   b\n>   ```"],
    "a closed fence": ["~~~\na\n~~~\nb  ", "~~~\na\n~~~\nb"],
    "dangling emphasis": ["**a *b", "**a *b***"],
    "the label of a dangling link": ["[a](htt", "a"],
    "no half of a link": ["see ![a", "see"],
    "no half of a tag": ['a <a href="b', "a"],
    "a pair of tags": ["a <b>c", "a <b>c</b>"],
    "no fence without anything in it": ["a\n```py", "a"],
    "no half of the end of a fence": ["```\na\n``", "```\na\n```"],
    "no mark of an item": ["a\n- ", "a"],
    "no head of a table alone": ["a\n\n| b | c |\n|---|", "a"],
    "words between signs that are no tags": ["a < b, <p and q", "a < b, <p and q"],
    "comparisons that look like tags": ["If a<b and b>c then y", "If a<b and b>c then y"],
    "marks between signs that are no tags": ["a <b and **c>d", "a <b and **c>d**"],
    "a tag with attributes": ['a <b class="x" id=y>c', 'a <b class="x" id=y>c</b>'],
    "no open formula in a line": ["a \\(x^2 + \\fr", "a"],
    "no open formula on lines of its own": ["a\n\n$$\nx\n+ y", "a"],
    "no half of a sign": ["a \\(x\\) b \\", "a \\(x\\) b"],
    "no formula that has just begun between dollars": ["a $x^2 +", "a"],
    "a closed formula": ["a \\[x\\] $y$", "a \\[x\\] $y$"],
    "prices and names": ["$5 of $HOME, $$ or $$$", "$5 of $HOME, $$ or $$$"],
    "words behind a stray sign": ["a \\( b and so on", "a \\( b and so on"],
    "what follows the paragraph of a stray sign": ["a \\[ b\n\nc", "a \\[ b\n\nc"],
    "signs in code": ["`\\(` and ```\n\\[\n", "`\\(` and ```\n\\[```"],
    "a sign in a fence": ["```\n\\[", "```\n\\[\n```"],
    "a sign where nothing precedes the formula": ["\\(x", "…"],
  };
  for (const [name, [partial, closed]] of Object.entries(cases)) {
    it(`shows ${name}`, () => assert.equal(closeMarkdown(partial), closed));
  }
});

describe("tailThatFits", () => {
  const tailThatFits = (text: string, ruler: Ruler) => atOnce(tailSteps(text, ruler));
  const upTo = (length: number) => new Ruler((text) => text.length, length);

  it("shows a text that fits whole", () => assert.equal(tailThatFits("a\n```\nb", upTo(20)), "a\n```\nb\n```"));

  it("shows the newest lines of a longer text", () => {
    const text = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    assert.match(tailThatFits(text, upTo(50)), /^…\nline \d+\n.*line 99$/s);
    assert.ok(tailThatFits(text, upTo(50)).length <= 50);
  });

  it("finds the end of a text whose measure is not its length, and of one of which nothing fits", () => {
    const text = "é".repeat(10_000);
    const fits = (some: string) => Buffer.byteLength(some) <= 1_000;
    const shown = tailThatFits(text, new Ruler(Buffer.byteLength, 1_000));
    assert.ok(shown.length > 300 && fits(shown), `${shown.length} characters`);
    assert.equal(tailThatFits(text, new Ruler(() => Number.POSITIVE_INFINITY, 1_000)), "…");
  });

  it("never shows a formula in two ways while it grows", () => {
    const text = "So \\(a_1\\) is $x^2$ and\n\n\\[\n\\frac{a}{b}\n+ c\n\\]\n\n$$y = 1$$ done.";
    const shown = Array.from({ length: text.length }, (_, end) => closeMarkdown(text.slice(0, end + 1)));
    const first = shown.slice(1).findIndex((next, at) => next !== "…" && !next.startsWith(shown[at] ?? ""));
    assert.equal(first, -1, JSON.stringify(shown.slice(first, first + 2)));
    assert.equal(shown.at(-1), text);
  });

  it("asks a few times only, however long the text", () => {
    let asked = 0;
    const measure = (some: string) => {
      asked += 1;
      return some.length;
    };
    tailThatFits("word ".repeat(13_000), new Ruler(measure, 4_096));
    assert.ok(asked <= 2, `${asked} times`);
  });

  it("opens the fence again that the tail lies in", () => {
    const shown = tailThatFits(`\`\`\`ts\n${"let a;\n".repeat(100)}let b`, upTo(60));
    assert.match(shown, /^```ts\n(let a;\n)+let b\n```$/);
  });
});
