import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { ownWordsIn } from "./own-words.ts";

function said(content: string, question?: string): TranscriptEntry {
  const call = { callId: "c", name: "ask_choice", arguments: JSON.stringify({ question }) };
  return { kind: "assistant", content, toolCalls: question === undefined ? [] : [call], model: "m", stop: "end" };
}

describe("a quote of the agent", () => {
  const isOwn = ownWordsIn([
    said("**Noon**, at the [old mill](https://example.org/mill).\n\n- bring a torch", "Which\nday?"),
  ]);

  it("brings nothing new, whatever the platform made of its form, and also in part", () => {
    for (const markdown of [
      "**Noon**, at the [old mill](https://example.org/mill).\n\n- bring a torch",
      "Noon, at the [old mill](https://example.org/mill).\n• bring a torch",
      "bring a torch",
      "Which\nday?",
      "👍",
      "",
    ])
      assert.equal(isOwn({ own: true, markdown }), true, markdown);
  });

  it("is none where the agent has not said it here, or the platform names somebody else", () => {
    for (const markdown of ["Noon, at the old bridge", "bring a torch and send the keys", "ring a torch, too"])
      assert.equal(isOwn({ own: true, markdown }), false, markdown);
    assert.equal(isOwn({ markdown: "bring a torch" }), false);
    assert.equal(ownWordsIn([])({ own: true, markdown: "bring a torch" }), false);
  });

  it("is one where a checkpoint stands for what the agent has said", () => {
    const state = { said: [{ kind: "replied", text: "bring a torch" }] };
    const checkpoint = { kind: "checkpoint", ...state } as unknown as TranscriptEntry;
    assert.equal(ownWordsIn([checkpoint])({ own: true, markdown: "a torch" }), true);
  });
});
