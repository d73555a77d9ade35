import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseMarkdown } from "./parse-markdown.ts";

const chunk = 4_096;

/** Texts that make a Markdown parser slow or overflow its stack. */
const hostile: Readonly<Record<string, string>> = {
  "300 levels of quote": `${"> ".repeat(300)}deep`,
  "quote marks only": ">".repeat(chunk),
  "alternating list markers": "1. - ".repeat(chunk / 5),
  "a stair of lists": Array.from({ length: 300 }, (_, level) => `${"  ".repeat(level)}- a`).join("\n"),
  "stars only": "*".repeat(100_000),
  "stars and letters": "a*".repeat(chunk / 2),
  "stars and underscores": "*a_ ".repeat(chunk / 4),
  "strikethrough marks": "~a".repeat(chunk / 2),
  "open brackets": "[".repeat(100_000),
  "open brackets with stars": "[*".repeat(chunk / 2),
  "open links": "[a](<b".repeat(chunk / 6),
  "runs of backticks": Array.from({ length: 90 }, (_, n) => `${"`".repeat(n + 1)}a`).join(" "),
  "a table of 500 columns": `${"|a".repeat(500)}|\n${"|-".repeat(500)}|\n${"|b".repeat(500)}|`,
  "a table of 1,000 rows": `a|b\n-|-\n${"a|b\n".repeat(1_000)}`,
  "1,000 headings": "a\n===\n".repeat(1_000),
  "1,000 items": "- a\n".repeat(1_000),
  "1,300 paragraphs": "a\n\n".repeat(1_300),
  "a false fence that hides stars": `<!--\n\`\`\`\n-->\n${"*a_ ".repeat(1_000)}`,
  "opening signs of formulas": "\\(a ".repeat(chunk / 2),
  "opening signs of formulas on lines": "\\[a\n".repeat(400),
  dollars: "$a ".repeat(chunk / 2),
  "comments without end": "<!-- a ".repeat(chunk / 2),
  "tags without end": "<B>a".repeat(chunk / 2),
  "tags closed in the wrong order": `${"<B><I>a".repeat(300)}${"</B></I>".repeat(300)}`,
  "a fence that ends with its list": `- a\n  \`\`\`\n${"*a_ ".repeat(1_000)}`,
};

describe("parseMarkdown", () => {
  it("reads GitHub-flavoured Markdown", () => {
    const root = parseMarkdown("# A\n\n~~b~~ https://c.d\n\n|e|\n|-|\n|f|\n\n- [x] g");
    assert.deepEqual(
      root.children.map((node) => node.type),
      ["heading", "paragraph", "table", "list"],
    );
  });

  it("keeps code formatted, whatever it is made of", () => {
    const code = Array.from({ length: 900 }, (_, n) => `a_b_c[${n}] *= *d_e; // | ~ |`).join("\n");
    const [first] = parseMarkdown(`\`\`\`c\n${code}\n\`\`\`\n`).children;
    assert.equal(first?.type === "code" && first.value, code);
  });

  it("treats a very long text as plain paragraphs", () => {
    const root = parseMarkdown(`${"# a\n\n".repeat(20_000)}`);
    assert.ok(root.children.every((node) => node.type === "paragraph"));
  });

  for (const [name, text] of Object.entries(hostile)) {
    it(`loses no character of ${name}`, () => {
      const letters = (value: string) => value.replaceAll(/[^a-z]/g, "");
      assert.equal(letters(textOf(parseMarkdown(text))), letters(text.replaceAll("<!--", "").replaceAll("-->", "")));
    });
  }
});

function textOf(node: unknown): string {
  const { value, children, url } = node as { value?: string; children?: unknown[]; url?: string };
  return (value ?? "") + (children ?? []).map(textOf).join("") + (children?.length === 0 ? (url ?? "") : "");
}
