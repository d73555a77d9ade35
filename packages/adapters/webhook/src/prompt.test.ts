import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fillPrompt } from "./prompt.ts";

const body = {
  text: "plain",
  count: 3,
  no: false,
  nothing: null,
  empty: "",
  list: [{ name: "first" }, ["inner"]],
  "x-key": { deep_er: "found" },
};

function filled(template: string, value: unknown = body): string {
  return fillPrompt(template, { body: value, headers: { "x-github-event": "push" } }).markdown;
}

describe("a prompt", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["no placeholder { } {{ }} {body.text}", "no placeholder { } {{ }} {body.text}"],
    ["{{ body.text }}/{{body.text}}/{{  body.text\n}}", "plain/plain/plain"],
    ["{{ body.count }} {{ body.no }} {{ body.nothing }} [{{ body.empty }}]", "3 false null []"],
    ["{{ body.list[0].name }} {{ body.list.1.0 }} {{ body.list[1][0] }}", "first inner inner"],
    ["{{ body.list }}", '[{"name":"first"},["inner"]]'],
    ["{{ body.x-key.deep_er }} {{ headers.x-github-event }}", "found push"],
    [
      "{{ body.gone }} {{ body.text.gone }} {{ body.list[9].name }} {{ other }}",
      "(missing) (missing) (missing) (missing)",
    ],
    ["{{ body.__proto__ }} {{ body.constructor }} {{ body.text.length }}", "(missing) (missing) (missing)"],
  ];
  for (const [template, expected] of cases)
    it(`fills ${JSON.stringify(template)}`, () => assert.equal(filled(template), expected));

  it("tells where values stand, whatever they hold", () => {
    const { markdown, values } = fillPrompt("{{ body.a }}{{ body.b }} by {{ body.gone }} in {{ headers.x-repo }}.", {
      body: { a: "{{ body.b }}", b: "" },
      headers: { "x-repo": "acme\u0000" },
    });
    assert.equal(markdown, "{{ body.b }} by (missing) in acme\ufffd.");
    assert.deepEqual(
      values.map(({ name, start, end }) => [name, markdown.slice(start, end)]),
      [
        ["body.a", "{{ body.b }}"],
        ["body.b", ""],
        ["headers.x-repo", "acme\ufffd"],
      ],
    );
  });

  it("takes a body that is text as it is", () =>
    assert.equal(filled("Log: {{ body }}", "line 1\nline 2"), "Log: line 1\nline 2"));

  it("never reads values as templates or replacement patterns", () => {
    const text = "{{ headers.x-github-event }} $& $1 $$";
    assert.equal(filled("<{{ body.text }}>", { text }), `<${text}>`);
  });

  it("cuts long values, and says so", () => {
    const long = filled("{{ body }}", "x".repeat(10_000));
    assert.equal(long, `${"x".repeat(8_000)} … (2000 more characters)`);
  });

  it("stays a text that every store takes", () => {
    const text = filled("{{ body.a }}{{ body.b }}", { a: "\0\ud800", b: `${"x".repeat(7_999)}😀` });
    assert.ok(text.isWellFormed(), "also where a value is cut");
    assert.ok(!text.includes("\0"));
  });
});
