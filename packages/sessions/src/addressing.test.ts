import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountPolicy } from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { hasKeyword, isAddressed, mayCommand } from "./addressing.ts";
import { policyWith } from "./testing/policy.ts";

type Activation = AccountPolicy["groups"]["activation"];

function policyOf(activation: Activation): AccountPolicy {
  return policyWith({ access: { direct: "open", groups: "open" }, groups: { activation, keywords: ["talaria"] } });
}

const said = {
  plain: messageFrom({ kind: "group", text: "what a day" }),
  mention: messageFrom({ kind: "group", text: "@bot what a day", mentionsSelf: true }),
  reply: messageFrom({ kind: "group", text: "what a day", repliesToSelf: true }),
  keyword: messageFrom({ kind: "group", text: "Talaria, what a day" }),
  direct: messageFrom({ text: "what a day" }),
};

describe("a message to the agent", () => {
  const rows: readonly [Activation, readonly (keyof typeof said)[]][] = [
    ["mention", ["mention", "reply", "direct"]],
    ["reply", ["reply", "direct"]],
    ["keyword", ["mention", "reply", "keyword", "direct"]],
    ["always", ["plain", "mention", "reply", "keyword", "direct"]],
  ];
  for (const [activation, expected] of rows) {
    it(`is, with activation ${activation}: ${expected.join(", ")}`, () => {
      const found = Object.entries(said).filter(([, event]) => isAddressed(event.message, event, policyOf(activation)));
      assert.deepEqual(
        found.map(([name]) => name),
        expected,
      );
    });
  }

  it("may be a command wherever the agent is named", () => {
    const may = (name: keyof typeof said) => mayCommand(said[name].message, said[name], policyOf("reply"));
    assert.deepEqual([may("mention"), may("reply"), may("plain"), may("keyword")], [true, true, false, false]);
  });

  it("may be a command with the number of a question, which people copy as it stands there", () => {
    const may = (text: string) => {
      const event = messageFrom({ kind: "group", text });
      return mayCommand(event.message, event, policyOf("mention"));
    };
    for (const text of ["/approve f277fb36", "/deny f277fb36 too much", " /answer b125b97b 2 people"])
      assert.ok(may(text));
    for (const text of ["/approve", "/deny now", "/stop f277fb36", "/approve f277fb3"]) assert.ok(!may(text));
  });
});

describe("a keyword", () => {
  const rows: readonly [string, string, boolean][] = [
    ["talaria", "ask Talaria!", true],
    ["talaria", "TALARIA", true],
    ["talaria", "talarias are shoes", false],
    ["talaria", "metalaria", false],
    ["talaria", "talaria_2", false],
    ["talaria", "(talaria)", true],
    ["talaria", "talaria’s answer", true],
    ["straße", "die STRAßE dort", true],
    ["ärger", "so ein A\u0308rger", true],
    ["über", "Überall", false],
    ["привет", "ну, ПРИВЕТ всем", true],
    ["привет", "приветик", false],
    ["help me", "please help\n  me now", true],
    ["c++", "is C++ fine", true],
    ["c++", "c++11", false],
    [".*", "anything", false],
    ["a|b", "only b", false],
    ["助手", "小助手你好", true],
    ["ボット", "このボットは", true],
    ["봇", "봇아 안녕", true],
    ["ﬁx", "please fix it", true],
  ];
  for (const [keyword, text, expected] of rows)
    it(`${JSON.stringify(keyword)} ${expected ? "is in" : "is not in"} ${JSON.stringify(text)}`, () => {
      assert.equal(hasKeyword(text, [keyword]), expected);
    });

  it("is looked for in the longest text", () => {
    const keywords = Array.from({ length: 20 }, (_, n) => `${"a".repeat(39)}${n}`);
    assert.equal(hasKeyword("a".repeat(100_000), keywords), false);
  });
});
