import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredEntry } from "@talaria/store";
import { promptTokens } from "./prompt-tokens.ts";

const words = (chars: number): StoredEntry => ({ kind: "user", markdown: "x".repeat(chars) }) as StoredEntry;
const answer = (inputTokens: number, outputTokens = 0): StoredEntry => ({
  kind: "assistant",
  usage: { inputTokens, outputTokens },
});

function isAbout(actual: number, expected: number): void {
  assert.ok(actual >= expected && actual < expected + 50, `${actual}`);
}

describe("what a turn is about to take", () => {
  it("is guessed from the lengths of the prompt and of what was said", () =>
    isAbout(promptTokens("x".repeat(4_000), [words(400)], [words(40)]), 1_110));

  it("is what the newest request took, with its answer, and what came since", () => {
    const history = [words(1_000_000), answer(9_000), words(400), answer(5_000, 100), words(400)];
    isAbout(promptTokens("x".repeat(4_000), history, [words(40)]), 5_210);
  });

  it("leaves out what a checkpoint stands for, and counts that are none", () => {
    const checkpoint = { kind: "checkpoint", text: "x".repeat(400) } as StoredEntry;
    isAbout(promptTokens("x".repeat(4_000), [words(1_000_000), checkpoint, answer(0)], [words(40)]), 1_110);
  });
});
