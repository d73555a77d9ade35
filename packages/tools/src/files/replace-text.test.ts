import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { findLines } from "./find-lines.ts";
import { replaceText } from "./replace-text.ts";

const once = { replaceAll: false };

const program = `function one() {
    if (ready) {
        start();
    }
    return 1;
}

function two() {
    return 2;  
}
`;

describe("replaceText", () => {
  it("finds the place exactly, in the middle of a line too", () => {
    assert.deepEqual(replaceText(program, { oldText: "return 1", newText: "return 11", ...once }), {
      text: program.replace("return 1", "return 11"),
      count: 1,
      found: "exactly",
    });
  });

  it("forgives spaces at line ends", () => {
    const { text, found } = replaceText(program, { oldText: "    return 2;\n}", newText: "    return 3;\n}", ...once });
    assert.equal(found, "apart from spaces at line ends");
    assert.equal(text, program.replace("return 2;  ", "return 3;"));
  });

  it("gives new lines the indentation of the file", () => {
    const oldText = "if (ready) {\n  start();\n}\nreturn 1;";
    const newText = "if (ready && able) {\n  start();\n}\nreturn 1;";
    const { text, found } = replaceText(program, { oldText, newText, ...once });
    assert.equal(found, "apart from indentation");
    assert.match(text, /\n {4}if \(ready && able\) \{\n {6}start\(\);\n {4}\}\n {4}return 1;\n\}/);
  });

  it("takes the only block with these ends when half of its middle is right", () => {
    const oldText = "function one() {\n    if (isReady) {\n        start();\n    }\n    return 1;\n}";
    const { text, found } = replaceText(program, { oldText, newText: "function one() {}", ...once });
    assert.equal(found, "by its first and last line");
    assert.equal(text, `function one() {}\n${program.slice(program.indexOf("\nfunction two"))}`);
    const wrong = "function one() {\n    a\n        b\n    c\n    d\n}";
    assert.throws(
      () => replaceText(program, { oldText: wrong, newText: "", ...once }),
      /not in the file[\s\S]*Nearest place/,
    );
  });

  it("shows every place when there are several, and the nearest when there is none", () => {
    assert.throws(
      () => replaceText(program, { oldText: "    return", newText: "x", ...once }),
      /more than once, at lines 5, 9\./,
    );
    assert.throws(
      () => replaceText(program, { oldText: "    return 1\n    other();", newText: "x", ...once }),
      /Nearest place:\n {5}3\t {8}start\(\);\n {5}4\t {4}\}\n {5}5\t {4}return 1;/,
    );
    assert.throws(
      () => replaceText(program, { oldText: "zzzzzz", newText: "x", ...once }),
      /Nothing in the file is like it/,
    );
    assert.throws(() => replaceText("x\n", { oldText: "y", newText: "y", ...once }), /are the same/);
  });

  it("replaces every exact occurrence when asked to", () => {
    const { text, count } = replaceText("a b a b a", { oldText: "a", newText: "$&c", replaceAll: true });
    assert.deepEqual([text, count], ["$&c b $&c b $&c", 3]);
  });

  it("changes nothing but the part, whatever the text", () => {
    const line = fc.constantFrom("", " ", "a", "  a", "b", "}", "\tb ");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.nat(11), fc.nat(5), (lines, from, length) => {
        const part = lines.slice(from, from + length).join("\n");
        const text = lines.join("\n");
        fc.pre(part !== "" && text.split(part).length === 2);
        const replaced = replaceText(text, { oldText: part, newText: "NEW", ...once });
        assert.equal(
          replaced.text,
          text.replace(part, () => "NEW"),
        );
      }),
    );
  });

  it("deletes whole lines without leaving an empty one, and takes a huge file in its stride", () => {
    assert.equal(replaceText("a \nb\nc", { oldText: "a\nb", newText: "", ...once }).text, "c");
    const huge = "x\n".repeat(400_000);
    assert.throws(
      () => replaceText(huge, { oldText: `${"x\n".repeat(20_000)}y`, newText: "", ...once }),
      /not in the file/,
    );
  });
});

describe("findLines", () => {
  it("finds what a plain search finds", () => {
    const letter = fc.constantFrom("a", "b");
    fc.assert(
      fc.property(fc.array(letter), fc.array(letter, { minLength: 1, maxLength: 4 }), (lines, wanted) => {
        const plain = lines.flatMap((_, at) => (wanted.every((one, index) => lines[at + index] === one) ? [at] : []));
        assert.deepEqual(findLines(lines, wanted, 1_000), plain);
      }),
    );
  });
});
