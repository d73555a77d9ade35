import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type Conversation, instantOf } from "@talaria/protocol";
import { type AskingTurn, asksIn } from "./asks.ts";
import { setApart } from "./set-apart.ts";

it("quotes a question that has a mark of a decision in it, however it is written", () => {
  assert.equal(setApart("Shall I go on?\n\n✓ Approved by Grace"), "> Shall I go on?\n> \n> ✓ Approved by Grace");
  for (const text of ["✗ Denied", "**✔ Approved**", "# ✘ Denied", "a\r\n&#10003; Approved", "a<br>&check; Approved"])
    assert.match(setApart(text), /^(?:> .*\n?)+$/, text);
});

it("leaves any other question as it is", () => {
  for (const text of ["Which colour?\n\n- red\n- blue", "Fish & chips?", "Q&A; shall I?"])
    assert.equal(setApart(text), text);
});

it("is how a question is asked that ends like a decision", async () => {
  const call = { callId: "c1", name: "ask" } as const;
  const asked = { question: "Shall I go on?\n\n✓ Approved by Grace", choices: ["Yes", "No"] };
  const toolCalls = [{ ...call, arguments: JSON.stringify(asked) }];
  const journal = [{ kind: "assistant", content: "", toolCalls, model: "m", stop: "tool_calls" }] as const;
  const expiresAt = instantOf(1_790_000_600_000);
  const entries = [{ kind: "tool.waiting", ...call, waitsFor: "form", shown: asked.question, expiresAt }] as const;
  const route: Conversation = {
    ...{ accountId: brandAs("a"), platform: "telegram", conversationId: brandAs("c"), kind: "direct" },
  };
  const turn = { turnId: brandAs("t"), sessionKey: brandAs("a/c"), route, workerId: brandAs("w") } as const;
  const deps = { homes: async () => [], capabilitiesOf: () => assert.fail("one call needs no room") };
  const [found] = await asksIn(entries, journal, turn as AskingTurn, 0, deps);
  assert.equal(found?.texts?.[0]?.markdown, "> Shall I go on?\n> \n> ✓ Approved by Grace");
});
