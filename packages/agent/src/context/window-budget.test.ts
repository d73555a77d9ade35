import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import type { AssistantEntry, ToolResultEntry, TranscriptEntry } from "../journal.ts";
import { tokensOf } from "./tokens-of.ts";
import { WindowBudget } from "./window-budget.ts";

const windowTokens = 16_000;
const fixedTokens = 3_000;
const text = "the quick brown fox jumps over the lazy dog and runs away. ".repeat(30);

/** An answer with a call whose arguments are long, as a server that counts `prompt` and `completion` reports it. */
function answer(n: number, prompt: number, completion: number): AssistantEntry {
  const usage = { inputTokens: prompt, cachedTokens: 0, outputTokens: completion, reasoningTokens: 0 };
  const toolCalls = [{ callId: `c${n}`, name: "write_file", arguments: JSON.stringify({ content: text }) }];
  return { kind: "assistant", content: "", toolCalls, model: "m", stop: "tool_calls", usage, contextTokens: prompt };
}

const result = (n: number): ToolResultEntry =>
  ({
    ...{ kind: "tool.result", callId: `c${n}`, name: "write_file", content: text, isError: false },
    at: instantOf(1_790_000_000_000),
  }) as ToolResultEntry;

type Count = (real: number, step: number) => readonly [prompt: number, completion: number];

/** A turn whose server counts as `count` says of what really was asked. Answers with what is used, and what is. */
function play(steps: number, count: Count) {
  const budget = new WindowBudget({ windowTokens, answerTokens: 2_000 }, fixedTokens);
  const entries: TranscriptEntry[] = [];
  for (let step = 0; step < steps; step += 1) {
    const entry = answer(step, ...count(fixedTokens + tokensOf(entries), step));
    budget.learn(entries, entry);
    entries.push(entry, result(step));
  }
  return { used: budget.used(entries), real: fixedTokens + tokensOf(entries), budget, entries };
}

describe("what a window is taken to hold", () => {
  const servers: readonly (readonly [string, Count])[] = [
    ["counts nothing of what it answers", (real) => [real, 0]],
    ["counts too much of what it answers, such as thoughts that don't come back", (real) => [real, 50_000]],
    ["once counts more than its window", (real, step) => [step === 3 ? 17_000 : real, 100]],
    ["once counts nearly its window", (real, step) => [step === 0 ? 15_900 : real, 100]],
    ["counts 1e308", (real, step) => [step === 6 ? 1e308 : real, 100]],
    ["counts nothing at all", () => [0, 0]],
    ["once counts a handful", (real, step) => [step === 6 ? 12 : real, 100]],
  ];
  for (const [what, count] of servers)
    it(`is right where a server ${what}`, () => {
      const { used, real } = play(7, count);
      assert.ok(Math.abs(used - real) <= real * 0.05, `${used} used, ${real} real`);
    });

  it("is corrected upwards by a server that counts half as much again, with what each request begins with", () => {
    const { used, real } = play(4, (all) => [Math.round(all * 1.5), 100]);
    assert.ok(Math.abs(used - real * 1.5) <= real * 0.15, `${used} used, ${real * 1.5} counted`);
  });

  it("does not take a correction of later texts for one of what each request begins with", () => {
    const { budget, entries } = play(4, (all) => [Math.round(fixedTokens + (all - fixedTokens) * 3), 100]);
    const shown = entries.slice(-1);
    assert.ok(budget.used(shown) <= fixedTokens * 1.05 + tokensOf(shown) * 3.05, String(budget.used(shown)));
  });
});
