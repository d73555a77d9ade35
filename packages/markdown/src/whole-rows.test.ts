import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseMarkdown } from "./parse-markdown.ts";
import { plainText } from "./plain-text.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { surplusBars } from "./surplus-bars.ts";
import { toCommonMarkdown } from "./to-common-markdown.ts";

describe("a table whose rows have more cells than the head", () => {
  const head = "| a | b |\n|---|---|\n";
  const rowOf = (row: string) =>
    renderMarkdown(head + row, plainText)
      .split("\n")
      .at(-1);

  const rows: Readonly<Record<string, readonly [row: string, shown: string]>> = {
    "bars in code": ["| `x || y` | see https://e.test |", "x || y | see https://e.test"],
    "the surplus in the last cell": ["| c | d | **e** | `f` |", "c | d | e | f"],
    "bars in code and a surplus": ["`x|y` | c | [d](https://e.test)", "x|y | c | d (https://e.test)"],
    "a row that fits, as GFM splits it": ["| `x | y` |", "`x | y`"],
    "escaped bars": ["| `x \\| y` | c | d\\| |", "x | y | c | d|"],
    "backticks that no code begins with": ["| \\`x | y` | ``c | d", "`x | y` | ``c | d"],
  };
  for (const [name, [row, shown]] of Object.entries(rows))
    it(`shows ${name}`, () => assert.equal(rowOf(row)?.replaceAll(/ +/g, " "), shown));

  it("keeps its offsets, in items and quotes too", () => {
    const text = "> - |a|\n>   |-|\n>   |b|`c|d`|\n\nend";
    const table = JSON.stringify(parseMarkdown(text));
    assert.match(table, /"value":"c\|d"|"value":"b\|"/);
    assert.equal(parseMarkdown(text).children.at(-1)?.position?.start.offset, text.indexOf("end"));
  });

  it("escapes its bars where a platform reads Markdown itself", () =>
    assert.equal(
      toCommonMarkdown(`${head}| \`x || y\` | c | d |\n| e | f |`),
      `${head}| \`x \\|\\| y\` | c \\| d |\n| e | f |`,
    ));

  it("finds the bars of a long row in a moment", () =>
    assert.equal(surplusBars("| `a` | ``b ".repeat(20_000), 2).length, 39_998));
});
