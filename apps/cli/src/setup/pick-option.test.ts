import assert from "node:assert/strict";
import { it } from "node:test";
import { pickOption } from "./pick-option.ts";

const options = [
  { value: "anthropic", label: "Anthropic (Claude)" },
  { value: "ollama", label: "Ollama" },
  { value: "4" },
];
const closed = { text: "Which", options };
const open = { text: "Which", options, isOpen: true };

it("is picked by number, name or other word", () => {
  const meant = (typed: string) => (typed === "claude" ? "anthropic" : undefined);
  for (const typed of ["1", "Anthropic", " anthropic (claude) ", "claude"])
    assert.deepEqual(pickOption({ ...closed, meant }, typed), { kind: "value", value: "anthropic" }, typed);
  assert.deepEqual(pickOption(closed, "4"), { kind: "value", value: "4" }, "a name counts before a number");
});

it("is narrowed down by a part of a name, and a near miss is named", () => {
  assert.deepEqual(pickOption(closed, "a"), { kind: "several", options: options.slice(0, 2) });
  assert.deepEqual(pickOption(closed, "olama"), {
    kind: "none",
    hint: '"olama" is none of these: did you mean "ollama"?',
  });
  for (const typed of ["99", "0", "-1", "zzz", ""]) assert.equal(pickOption(closed, typed).kind, "none", typed);
});

it("is whatever was typed where the list is open, a part of a listed name too when it is said so", () => {
  assert.deepEqual(pickOption(open, "gpt-99"), { kind: "value", value: "gpt-99" });
  assert.deepEqual(pickOption(open, "=olla"), { kind: "value", value: "olla" });
  assert.equal(pickOption(open, "olla").kind, "several");
  assert.equal(pickOption(open, "=").kind, "value");
  assert.equal(pickOption(open, " ").kind, "none");
});
