import assert from "node:assert/strict";
import { it } from "node:test";
import { AnthropicAssembler } from "./anthropic-assembler.ts";

const events = [
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "hm", signature: "" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "yes" } },
  { type: "message_delta", delta: { stop_reason: "end_turn" } },
];

it("sends no thought without a signature back to Anthropic, which refuses it", () => {
  const stateFrom = (assembler: AnthropicAssembler) => {
    for (const event of events) assembler.add(event);
    const end = assembler.end();
    return end.type === "done" && end.message.providerState !== undefined;
  };
  assert.equal(stateFrom(new AnthropicAssembler("claude-opus-5")), false);
  assert.equal(stateFrom(new AnthropicAssembler("deepseek-v4-pro", { keepsUnsigned: true })), true);
});
