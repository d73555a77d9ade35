import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseYaml } from "./yaml-source.ts";

function refusal(text: string): string {
  const { issues, placeOf } = parseYaml(text);
  const [issue] = issues;
  if (issue === undefined) return "accepted";
  const { line, column } = issue.place ?? placeOf(issue.path, issue.at ?? "value");
  return `${line}:${column} ${issue.message}`;
}

describe("parseYaml", () => {
  it("reads an empty file as an empty mapping", () => {
    for (const text of ["", "\n", "# only a comment\n", "\uFEFF"]) assert.deepEqual(parseYaml(text).value, {});
  });

  it("refuses what could mean two things or blow up", () => {
    assert.equal(refusal("a: 1\nb: 2\na: 3\n"), "3:1 the key is there twice");
    assert.equal(refusal("a:\n\tb: 1\n"), "2:1 tabs are not allowed as indentation: use spaces");
    assert.match(refusal("a: &x [1]\nb: [*x, *x]\n"), /^1:\d anchors and aliases/);
    assert.match(refusal("a: .nan\n"), /^1:4 expected a finite number/);
    assert.match(refusal("a: -.inf\n"), /^1:4 expected a finite number/);
    assert.match(refusal("a: !!js/function 'x'\n"), /^1:4 tags/);
    assert.match(refusal("a: 1\n---\nb: 2\n"), /^2:1 one file holds one document/);
    assert.match(refusal("- a\n"), /must be a mapping/);
    assert.match(refusal("__proto__: { a: 1 }\n"), /a key must be a plain name/);
    assert.match(refusal("? [a]\n: 1\n"), /a key must be a plain name/);
    assert.match(refusal(`a: ${"x".repeat(1_048_577)}`), /larger than 1 MiB/);
  });

  it("refuses deep nesting instead of overflowing", () => {
    assert.match(refusal(`a: ${"[".repeat(40)}${"]".repeat(40)}`), /nested too deeply/);
    assert.notEqual(refusal("[".repeat(100_000)), "accepted");
  });

  it("refuses an anchor bomb at once", () => {
    const rows = Array.from({ length: 20 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i}, `.repeat(9)}*l${i}]`);
    assert.match(refusal(`l0: &l0 [x]\n${rows.join("\n")}\n`), /anchors and aliases/);
  });

  it("explains a reference that needs quotes", () => {
    assert.equal(parseYaml(`a: { b: \${X} }\n`).issues[0]?.suggestion, "inside { } and [ ] put a reference in quotes");
  });

  it("knows the place of keys, values and of what is missing", () => {
    const { placeOf } = parseYaml("a:\n  b:\n    - x\n    - yy\n");
    assert.deepEqual(placeOf(["a", "b"], "key"), { line: 2, column: 3 });
    assert.deepEqual(placeOf(["a", "b", 1], "value"), { line: 4, column: 7 });
    assert.deepEqual(placeOf(["a", "missing", "deeper"], "value"), { line: 1, column: 1 });
  });

  it("keeps keys that look like numbers as they are written", () => {
    assert.deepEqual(parseYaml("007: a\n1e3: b\ntrue: c\n").value, { "007": "a", "1e3": "b", true: "c" });
  });
});
