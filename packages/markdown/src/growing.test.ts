import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closeMarkdown, nothingYet } from "./close-markdown.ts";
import { visibleText } from "./visible-text.ts";

/** Answers as models write them, with something of everything that begins and ends. */
const answers: Readonly<Record<string, string>> = {
  emphasis: "So **bold *and slanted*** or __this__, _that_, ~~gone~~, ***both***: 2*3*4 and snake_case_name, `a * b`.",
  "emphasis over lines":
    "**Note:** this is *one\nlong* sentence.\n\n- **first** item\n- *second*: **third\n  line**\n\nEnd.",
  tags: "Press <kbd>Ctrl</kbd>+<kbd>C</kbd><br>then <b>go</b> on; H<sub>2</sub>O, x<sup>2</sup>, <u>low</u> &amp; done.",
  details: "<details><summary>More <b>words</b></summary>\n\nInside it\n\n- one\n- two\n\n</details>\n\nAfter it.",
  "links in HTML":
    'See <a href="https://e.test/?a=1&b=2" title="x">the *page*</a> and <https://f.test/x> or <a@b.test>.',
  links:
    'Read [the **manual** now](https://e.test/a_(b) "title"), ![a picture](https://e.test/p.png), [1] and a[i] = 3!',
  comments: "One <!-- a comment <b> --> two.",
  code: "Use ``a ` b`` or `<b>` so:\n\n```ts\nconst a: List<b> = `x`; // **no**\n\n```\n\nand\n\n~~~\n``\n~~~\nend `done`.",
  table: "Here:\n\n| **a** | `b` |\n| :-- | --: |\n| 1 *x* | <br>2 |\n| [y](https://e.test) | 3 |\n\nThat is it.",
  "table behind words": "Here:\n| a | b |\n|---|---|\n| 1 | 2 |\nmore\n",
  lists:
    "Steps:\n- one\n  1. **in** it\n  2. more\n- [ ] open\n- [x] done\n\n1. first\n\n   ```sh\n   ls\n   ```\n2. second",
  headings: "# One *two*\n\nText\n---\n\n## Two\n\n> quoted **words**\n> - and\n\n***\n\nend",
  formulas:
    "So \\(a_1 * b\\) is $x^2$ and\n\n\\[\n\\frac{a}{b}\\\\\n\\]\n\n$$y = 1$$ costs $5 or \\*not\\*.\n\n\\begin{cases}\na \\\\\nb\n\\end{cases}\n\nend",
  "comparisons without blanks": "If a<b and b>c then yes, and if p<q and q>r or a<i b and **c>d** then no.",
  comparisons: "If a < b and c > d or x<y, then List<T> is &lt; R&D; p <q and r.",
  "letters without blanks": "これは**「重要」**です。**注意：**必ず*「斜」*読む。**Note:**text a*b*c.",
  "links by name":
    'Read [the **manual**][1], ![a picture][p], [CommonMark][], [![badge][p]][1]; a[i][j], x[0][7], `[a][b]` and [7][8].\n\n```\n[a][b]\n```\n\nSo.\n\n[1]: https://e.test/one "One"\n[p]: https://e.test/p.png\n[commonmark]: <https://spec.test>\n',
  others: "中文**强调**，然后*斜体*。\n\nمرحبا **بالعالم** <b>هنا</b> C:\\Users\\ada and ^\\d+$ at 5 % & more.",
};

/** Whether one is a beginning of the other, but for the last few signs, which may mean something else in a longer text. */
function begins(whole: string, part: string): boolean {
  return whole.startsWith(part);
}

describe("a growing text", () => {
  for (const [name, answer] of Object.entries(answers))
    it(`shows nothing that the whole text does not show: ${name}`, () => {
      const whole = visibleText(answer);
      for (let end = 1; end <= answer.length; end += 1) {
        const shown = closeMarkdown(answer.slice(0, end));
        if (shown === nothingYet) continue;
        const seen = visibleText(shown);
        assert.ok(
          begins(whole, seen),
          JSON.stringify({ partial: answer.slice(0, end).slice(-60), shown: shown.slice(-60), seen: seen.slice(-40) }),
        );
      }
    });

  it("does not lag far behind", () => {
    for (const answer of Object.values(answers)) {
      const lag = Array.from(
        { length: answer.length },
        (_, end) => visibleText(answer.slice(0, end)).length - visibleText(closeMarkdown(answer.slice(0, end))).length,
      );
      assert.ok(Math.max(...lag) < 90, `${Math.max(...lag)}: ${answer.slice(0, lag.indexOf(Math.max(...lag)))}`);
    }
  });
});
