import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Nodes, Root } from "mdast";
import { isCostly } from "./parse-cost.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { parseWhole } from "./parse-whole.ts";
import { sectionsIn } from "./sections.ts";

type Position = NonNullable<Nodes["position"]>;

const line = fc.constantFrom(
  "a",
  "# b",
  "- c",
  "  d",
  "    e",
  "1. f",
  "2) g",
  "> h",
  "> - i",
  "```",
  "```ts",
  "~~~",
  "  ```",
  "- ```",
  "````",
  "***",
  "---",
  "===",
  "*x",
  "y*",
  "`z",
  "| a | b |",
  "| - | - |",
  "\t- j",
  "<div>",
  "</div>",
  "<b>v",
  "w</b> x<br>",
  "<hr>",
  "<!--",
  "-->",
  "[k]",
  "[k]: /l",
  "[^m]",
  "[^m]: n",
  "+",
  "-",
  "*",
  "1.",
  "\u00a0",
  "\u000b",
  "\u2028",
  "```\u2028`",
  "```\f",
  "\\",
  "a  ",
  "&amp;",
  "https://o.p",
  "- [ ] q",
  "\\[",
  "\\]",
  "$$",
  "  $$",
  "- \\[",
  "> $$",
  "r \\(s",
  "+ t\\) $u$",
  "",
  " ",
  "",
);

/** Where a fence ends that a list leaves open, blanks and empty lines behind it may or may not belong to it. */
function comparable(root: Root, text: string): unknown {
  const replace = (name: string, value: unknown) => {
    if (name === "spread") return undefined;
    if (name === "value" && typeof value === "string") return value.replace(/\n+$/, "");
    if (name !== "position") return value;
    const { start, end } = value as Position;
    return { start, length: text.slice(start.offset, end.offset).trimEnd().length };
  };
  return JSON.parse(JSON.stringify(root, replace));
}

describe("sectionsIn", () => {
  it("takes documents apart where the parts mean the same alone", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 25 }), (lines) => {
        const text = lines.join("\n");
        if (!isCostly(text))
          assert.deepEqual(comparable(parseMarkdown(text), text), comparable(parseWhole(text), text));
      }),
      { numRuns: 4_000 },
    );
  });

  it("finds the sections of an ordinary answer", () => {
    const text = "a\nb\n\n# c\n\n- d\n\n- e\n\n```\n\nf\n\n```\n\n> g\n\nh";
    const starts = sectionsIn(text).map(({ start }) => start);
    const parts = starts.map((start, index) => text.slice(start, starts[index + 1]).trim());
    assert.deepEqual(parts, ["a\nb", "# c\n\n- d", "- e", "```\n\nf\n\n```", "> g", "h"]);
  });
});
