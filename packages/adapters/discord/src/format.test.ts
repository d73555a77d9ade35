import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { markdownSample } from "@talaria/testkit";
import { measure, render } from "./format.ts";

const cases: readonly (readonly [name: string, markdown: string, discord: string])[] = [
  ["marks", "**b** *i* ~~s~~ `c`", "**b** *i* ~~s~~ ``c``"],
  ["headings of three levels", "# a\n\n### b\n\n#### c", "# a\n\n### b\n\n**c**"],
  ["lists", "- a\n- b\n  1. c\n\n3. d", "- a\n- b\n  1. c\n\n3. d"],
  ["tags over paragraphs", "<b>a\n\n> b\\\n> c</b> d", "**a**\n\n> **b\n> c** d"],
  ["tasks", "- [x] a\n- [ ] b", "- ☑ a\n- ☐ b"],
  ["quotes inside quotes", "> a\n>\n> > b", "> a\n> \n> b"],
  ["code", "```ts\nlet a;\n```", "```ts\nlet a;\n```"],
  ["a table", "| a | b |\n|---|---|\n| 1 | 22 |", "```\na | b\n--+---\n1 | 22\n```"],
  ["links", "[a](https://x.test/(y))", "[a](https://x.test/%28y%29)"],
  ["bare addresses", "https://x.test/a_b_c", "https://x.test/a_b_c"],
  ["images", "![cat](https://x.test/c.png)", "[cat](https://x.test/c.png)"],
  ["links that would hide where they lead", "[https://a.test](https://b.test)", "https://a.test (https://b.test)"],
  ["no link of a program", "[a](javascript:1)", "a"],
  [
    "addresses that are no links beside their text",
    "[call](tel:+49) [map](geo:1,2) <magnet:?x=1> [doc](docs/a_b.md 't') ![p](p.png) [x][1]\n\n[1]: matrix:r/a:b.test\n[2]: https://c.test",
    "call (tel:+49) map (geo:1,2) magnet:?x=1 doc (docs/a\\_b.md) p (p.png) x (matrix:r/a:b.test)\n\n\\[2\\]: https://c.test",
  ],
  [
    "mail addresses",
    "[mail](mailto:a_b@c.test) <d@e.test> [**f**](MAILTO:f@g.test?subject=h)",
    "mail (a\\_b@c.test) d@e.test **f** (f@g.test)",
  ],
  ["signs between digits and single tildes", "2*3*4 H~2~O", "2\\*3\\*4 H\\~2\\~O"],
  ["markup in words", "snake\\_case 2\\*3 a|b", "snake\\_case 2\\*3 a\\|b"],
  ["mentions and what looks like one", "<@1> @everyone a < b", "\\<@1> @everyone a < b"],
  [
    "HTML by its meaning",
    "<u>a</u> H<sub>2</sub>O<br><kbd>Ctrl</kbd> <b>**b**</b> List<T>",
    "__a__ H₂O\n``Ctrl`` **b** List\\<T>",
  ],
  ["formulas as code", "\\(a_1\\,b\\)\n\\[\nx*y*z\n\\]", "``a_1\\,b``\n\n```latex\nx*y*z\n```"],
  ["what would begin a block", "1\\. a\n\\# b\n\\- c", "1\\. a\n\\# b\n\\- c"],
];

describe("Discord's dialect", () => {
  it("writes the sample document", () => assert.equal(render(markdownSample), goldenSample));

  for (const [name, markdown, discord] of cases)
    it(`writes ${name}`, () => {
      assert.equal(render(markdown), discord);
      assert.equal(measure(markdown), discord.length);
    });

  it("writes a very wide table as lines", () => {
    assert.equal(render(`| a | b |\n|---|---|\n| 1 | ${"x_".repeat(60)} |`), `• a: 1; b: ${"x\\_".repeat(60)}`);
  });

  it("never ends a code block early", () => {
    const text = render("````\n```\nstill code\n````");
    assert.equal(text.match(/```/g)?.length, 2);
  });
});

const goldenSample = `# Flight *plan*

Sandals **bold**, *slanted*, ~~gone~~, \`\`a < b\`\`, ***both*** and **raw** & 2 \\* 3.
A soft break
and a hard one, [a link](https://example.org/a?b=1&c=2), [by name](https://example.org/ref), https://example.org/bare and odd.

**Small heading**

> A quote
> 
> inside a quote
> 
> - with a list

- one
  1. first
  2. second
- two

3. three
4. four

- ☑ done
- ☐ open

\`\`\`ts
const a = "<&>"; // *not slanted*
\`\`\`

\`\`\`
name | wings
-----+------
Ada  |     2
李   |   a b
\`\`\`

[A picture](https://example.org/i.png)

———

Told\\[1] @everyone \\<@1>.

\\[1] The reason.`;
