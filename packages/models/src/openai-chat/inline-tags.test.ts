import assert from "node:assert/strict";
import { it } from "node:test";
import { InlineTags, type TagPiece } from "./inline-tags.ts";

function read(text: string, size: number, beginsInThought = false): readonly TagPiece[] {
  const tags = new InlineTags({ tools: new Map([["read", {}]]), beginsInThought, missesCalls: false });
  const pieces: TagPiece[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(...tags.add(text.slice(at, at + size)));
  return [...pieces, ...tags.end(false)];
}

function gistOf(pieces: readonly TagPiece[]) {
  const textOf = (kind: "text" | "thought") => pieces.map((piece) => (piece.kind === kind ? piece.text : "")).join("");
  return { text: textOf("text"), thought: textOf("thought"), calls: pieces.filter(({ kind }) => kind === "call") };
}

const call = '<tool_call>\n{"name": "read", "arguments": {"path": "<a>"}}\n</tool_call>';
const coder = "<function=read>\n<parameter=path>\n<a>\n</parameter>\n</function>";
const texts = [
  "<think>\na < b </thin\n</think>\n\nSo `<think>`.\n```\n<tool_call>\n```\n",
  `Let me see.\n${call}\n${call}`,
  "~~~\n</think>\n~~~\nHm.\n</think>\n\nyes",
  "\n\n  plain <t ext </ with <tool_cal\n``\n",
  `<tool_call>[1]</tool_call> and ${call}`,
  `So.\n${coder}\n</tool_call>\n${coder}`,
  `So.\n${coder}\n</tool_call>\n${coder} and`,
];

it("reads the same wherever a text is cut, and loses nothing of it", () => {
  for (const text of texts) {
    const whole = gistOf(read(text, text.length));
    for (let size = 1; size < 40; size += 1) assert.deepEqual(gistOf(read(text, size)), whole, `${size}: ${text}`);
  }
});

it("hands out no half of a tag", () => {
  const said = read("<think>hm</think>yes<tool_call>x", 1).map((piece) => ("text" in piece ? piece.text : ""));
  assert.equal(said.join(""), "hmyes<tool_call>x");
  assert.ok(!said.includes("<"), said.join("|"));
});

it("keeps what it read as a thought byte for byte", () => {
  const raw = read("<think>\nhm</think> \n\nyes", 3).map((piece) => ("raw" in piece ? piece.raw : ""));
  assert.equal(raw.join(""), "<think>\nhm</think> \n\n");
});

/** Looks at each character a bounded number of times: twice the text is not four times the work. */
it("takes long texts of the worst kinds in one go", () => {
  const length = 200_000;
  for (const worst of [
    "<",
    "\n",
    "`",
    "</think",
    "<tool_call>{",
    "<tool_call>{</tool_call>",
    `${call}\n`,
    "<function=read>",
    "<function=read></function>",
    "<tool_call><function=read><parameter=a>",
    "\n   ",
    "<think>",
  ])
    for (const size of [1, 7, length]) {
      const text = worst.repeat(Math.ceil(length / worst.length));
      const { text: said, thought } = gistOf(read(text, size));
      assert.ok(said.length + thought.length <= text.length);
    }
});
