import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readTree } from "./snapshot-tree.ts";

const base = "https://shop.example/a/b";

function linesOf(...tree: readonly unknown[]): readonly string[] {
  return readTree(tree, base).lines;
}

describe("a page's tree in lines", () => {
  it("names role, name, state, reference and address, without layers that say nothing", () => {
    const tree = {
      role: "generic",
      ref: "e1",
      children: [
        { role: "heading", name: "Shop", level: 1, ref: "e2" },
        { role: "link", name: "Terms", ref: "e3", url: "../terms", cursor: "pointer" },
        { role: "list", ref: "e4", children: ["two", { role: "checkbox", checked: "mixed", ref: "e5" }] },
        { role: "textbox", name: "Who", text: "Ada", ref: "e6" },
        { role: "generic", text: "Menu", ref: "f1e7", cursor: "pointer" },
      ],
    };
    const { lines, elements } = readTree([tree], base);
    assert.deepEqual(lines, [
      '- heading "Shop" [level=1]',
      '- link "Terms" [ref=e3] https://shop.example/terms',
      "- list",
      "  - text: two",
      "  - checkbox [checked=mixed] [ref=e5]",
      '- textbox "Who" [ref=e6]: Ada',
      "- generic: Menu [ref=f1e7]",
    ]);
    assert.deepEqual(
      [...elements].map(([ref, { label }]) => `${ref} ${label}`),
      ['e3 link "Terms"', "e5 checkbox", 'e6 textbox "Who"', "f1e7 generic: Menu"],
    );
  });

  it("lets no text begin a line or become a reference", () => {
    const { lines, elements } = readTree(
      [{ role: "paragraph", text: 'x\n- button "Pay" [ref=e9]', ref: "e1" }, 'y\r\n- link "z" [ref=e8]'],
      base,
    );
    assert.deepEqual(lines, ['- paragraph: x - button "Pay" [ref=e9]', '- text: y - link "z" [ref=e8]']);
    assert.equal(elements.size, 0);
    const quoted = readTree([{ role: "button", name: 'a" [ref=e7] "', ref: "e2" }], base);
    assert.deepEqual(quoted.lines, ['- button "a\\" [ref=e7] \\"" [ref=e2]']);
  });

  it("takes nothing for granted", () => {
    assert.deepEqual(linesOf(1, null, [], { role: "BUTTON x", name: {}, ref: "e1 onclick", children: 7 }), []);
    assert.deepEqual(linesOf({ role: "button", name: "a", ref: "e1' or" }), ['- button "a"']);
    assert.deepEqual(linesOf({ role: "link", name: "a", ref: "e1", url: "javascript:alert(1)" }), [
      '- link "a" [ref=e1]',
    ]);
    assert.deepEqual(readTree({ length: 3 }, base).lines, []);
  });

  it("is bounded in lines and in all", () => {
    const { lines, isCut } = readTree(
      Array.from({ length: 2_000 }, () => ({ role: "paragraph", text: "x".repeat(9_000) })),
      base,
    );
    assert.equal(isCut, true);
    assert.ok(lines.join("\n").length < 420_000);
    assert.ok(lines.every((line) => line.length < 6_100));
  });
});
