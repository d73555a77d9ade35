import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldWords } from "./field-words.ts";
import { logLine } from "./log-line.ts";

describe("a field of the log in words", () => {
  const error = { name: "GatewayError", message: "slow down", code: "rate_limited", stack: "at x\nat y" };
  for (const [value, words] of [
    ["plain", "plain"],
    [3, "3"],
    [30.931280999997398, "30.9"],
    ['["guest","main","42"]', "guest/main/42"],
    ['["cut', '["cut'],
    [false, "false"],
    [null, "none"],
    [[], "none"],
    [{}, "none"],
    [["a", "b c"], "a, b c"],
    [{ turns: 3, memory: { heap: 5, rss: 7 } }, "turns 3, memory (heap 5, rss 7)"],
    [{ a: { b: { c: { d: 1 } } } }, "a (b (c …))"],
    [error, "GatewayError: slow down (code rate_limited)"],
    [
      { name: "Error", message: "no", stack: "", cause: { ...error, message: "why" } },
      "no, because of GatewayError: why (code rate_limited)",
    ],
    [Array.from({ length: 22 }, (_, n) => n), `${Array.from({ length: 20 }, (_, n) => n).join(", ")}, and 2 more`],
  ] as const)
    it(`is ${JSON.stringify(words.slice(0, 60))} for ${JSON.stringify(value)?.slice(0, 60)}`, () =>
      assert.equal(fieldWords(value), words));

  it("is bounded, however large the value", () => {
    const large = Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => "x".repeat(5_000)));
    assert.ok(fieldWords(large).length <= 2_000);
  });

  it("stands behind its name, in quotation marks where it has spaces, and looks like no other field", () => {
    const entry = { level: "warn", time: "t", name: "gateway", msg: "m" };
    const line = (more: object) => logLine(JSON.stringify({ ...entry, ...more }), false);
    assert.equal(
      line({ err: error, ids: ["a", "b"], who: 'x" level=error "y' }),
      `t WARN  gateway m  err="GatewayError: slow down (code rate_limited)" ids="a, b" who="x' level=error 'y"`,
    );
    assert.equal(line({ who: ["\u001b[31m\n"] }), String.raw`t WARN  gateway m  who=\u001b[31m\u000a`);
    assert.equal(line({ who: "" }), `t WARN  gateway m  who=""`);
  });
});
