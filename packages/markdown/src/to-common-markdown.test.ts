import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { spreadTags } from "./spread-tags.ts";
import { toCommonMarkdown } from "./to-common-markdown.ts";
import { visibleText } from "./visible-text.ts";

describe("toCommonMarkdown", () => {
  const cases: Readonly<Record<string, readonly [markdown: string, common: string]>> = {
    "formulas as code": ["a \\(a_1\\,b\\) $x$ costs $5", "a `a_1\\,b` `x` costs $5"],
    "formulas in items and quotes": [
      "- so\n  \\[\n  x\n  \\]\n\n> $$\n> a\n> $$",
      "- so\n  ```latex\n  x\n  ```\n\n> ```latex\n> a\n> ```",
    ],
    "signs between digits and single tildes": ["2*3*4 H~2~O ~5 **b** 2\\*3", "2\\*3\\*4 H\\~2\\~O ~5 **b** 2\\*3"],
    "marks of HTML": [
      "<b>a</b> <i>x *y*</i> <u>u</u> <s>s</s> **<b>t</b>** <kbd>K`</kbd>",
      "**a** *x y* u ~~s~~ **t** `` K` ``",
    ],
    "line breaks, in tables blanks": ["a<br>\nb\n\n|c<br>d|\n|-|", "a  \nb\n\n|c d|\n|-|"],
    "backslashes at the end of a line as blanks": [
      "a\\\nb\n\n- c\\\n  d\n\n> e\\\n> f  \n> g\n\n`h\\`\n\n```\ni\\\nj\n```",
      "a  \nb\n\n- c  \n  d\n\n> e  \n> f  \n> g\n\n`h\\`\n\n```\ni\\\nj\n```",
    ],
    "paragraphs in quotes": ["> - a<br><br>b", "> - a\n>\n>   b"],
    "low and high letters": [
      "H<sub>2</sub>O e<sup>iπ</sup> a<sup>[1](https://b.test)</sup>",
      "H₂O e\\^(iπ) a[1](https://b.test)",
    ],
    links: [
      '<a href="https://e.org/?a=1&amp;b=(2)">go **on**</a> [q](<https://b.test>)',
      "[go **on**](<https://e.org/?a=1&b=(2)>) [q](<https://b.test>)",
    ],
    "what HTML folds, items, rules, without comments": [
      "<details>\n<summary>a</summary>\n\n- b <!-- c -->\n\n</details>\n\n<hr>\n\n<ul><li>d</li><li>e</li></ul>",
      "**a**\n\n- b \n\n\n\n***\n\n• d  \n• e",
    ],
    "links by name, with their address": [
      "[a *b*][x], [x], ![p][x]\n\n[x]: https://e.test 'title'\n[y]: https://f.test\n\nend",
      "[a *b*](<https://e.test>), [x](<https://e.test>), ![p](<https://e.test>)\n\n\n\\[y]: https://f.test\n\nend",
    ],
    "addresses that are no links everywhere": [
      "[call](tel:+49) <geo:1,2> [doc](a_b.md 't') ![p](x.png) <a href='sms:1'>s</a> [](magnet:?x) [w](https://e.test)",
      "call (tel:+49) geo:1,2 doc (a\\_b.md) p (x.png) s (sms:1) magnet:?x [w](https://e.test)",
    ],
    "bare addresses as they are": [
      "https://e.test/~ada/ www.e.test/~a?q=1*2*3 **https://e.test/?q=1*2*3** <https://e.test/~a~b> 1*2 a~b",
      "https://e.test/~ada/ www.e.test/~a?q=1*2*3 **https://e.test/?q=1*2*3** <https://e.test/~a~b> 1\\*2 a\\~b",
    ],
    "addresses of links as they are": [
      "[1*2](https://e.test/~a?q=1*2*3) [https://e.test/~a](https://e.test/~a) [x]\n\n[x]: https://e.test/~a",
      "[1\\*2](https://e.test/~a?q=1*2*3) [https://e.test/~a](https://e.test/~a) [x](<https://e.test/~a>)\n\n",
    ],
    "alerts as quotes with a title": [
      "> [!NOTE]\n> Read *this*: 2*3*4.\n\n- > [!tip] a\n  > b\n\n> [!CAUTION]\n>\n> c [!NOTE]\n\n[!NOTE]",
      "> **Note**  \n> Read *this*: 2\\*3\\*4.\n\n- > **Tip**  \n  > a\n  > b\n\n> **Caution**\n>\n> c [!NOTE]\n\n[!NOTE]",
    ],
    "formulas in cells, with their bars": [
      "| a | b |\n|-|-|\n| $\\|x\\|_2$ | \\(p(a\\|b)\\) |\n| 1 | $|y|_2$ |\n\n| c |\n|-|\n| **\\(|z|\\)** <kbd>|</kbd> |",
      "| a | b |\n|-|-|\n| `\\|x\\|_2` | `p(a\\|b)` |\n| 1 | `\\|y\\|_2` |\n\n| c |\n|-|\n| **`\\|z\\|`** `\\|` |",
    ],
    footnotes: ["a[^n]\n\n[^n]: https://e.test", "a\\[n]\n\n\\[n] https://e.test"],
    "code and ordinary Markdown as they are": [
      "```\n<b>\\(x\\)\n```\n\n`2*3*4` List<b> <https://a.b> $5",
      "```\n<b>\\(x\\)\n```\n\n`2*3*4` List<b> <https://a.b> $5",
    ],
  };
  for (const [name, [markdown, common]] of Object.entries(cases))
    it(`writes ${name}`, () => assert.equal(toCommonMarkdown(markdown), common));

  it("loses no word of any soup of tags and formulas", () => {
    const piece = fc.constantFrom(
      "a",
      "b ",
      "<b>",
      "</b>",
      "<br>",
      "<sub>",
      "</sub>",
      "\\(c\\)",
      "$$",
      "\n",
      "\n\n",
      "- ",
      "> ",
      "*",
      "2*3",
      "`",
      "<T>",
      "<!-- x -->",
      "<p>",
      '<a href="d">',
      "</a>",
      "|",
    );
    // A pair around nothing is no word.
    const letters = (text: string) => visibleText(text).replaceAll(/[^abc]/g, "").length;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        assert.ok(
          letters(toCommonMarkdown(text)) >= letters(spreadTags(text)),
          JSON.stringify([text, toCommonMarkdown(text)]),
        );
      }),
    );
  });
});
