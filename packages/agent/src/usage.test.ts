import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelEvent, ModelUsage, TranscriptEntry } from "./index.ts";
import { type Answer, fails, play, says, scriptedModel, turnDeps, turnInput } from "./turn.fixture.ts";

const counted: ModelUsage = { inputTokens: 70, cachedTokens: 0, outputTokens: 5, reasoningTokens: 0 };

/** The same answer, as a provider that counts gives it. */
function counting(answer: readonly ModelEvent[]): readonly ModelEvent[] {
  return answer.map((event) => (event.type === "done" ? { ...event, usage: counted } : event));
}

/** Says first which model answers, as one of several does. */
function from(name: string, answer: readonly ModelEvent[], input?: number): readonly ModelEvent[] {
  const price = input === undefined ? undefined : { input, output: 10 };
  return [{ type: "asked", model: { name, provider: "openai-chat", price } }, ...answer];
}

/** Who was paid how much, for each entry with usage. */
async function paidFor(answers: readonly Answer[], signal?: AbortSignal) {
  const deps = turnDeps(scriptedModel(...answers), signal && { signal });
  const { journal } = await play(turnInput({}), deps);
  return journal.flatMap((entry: TranscriptEntry) =>
    "usage" in entry ? [[entry.usage?.model, entry.usage?.provider, entry.usage?.cost]] : [],
  );
}

/** Tokens that all entries of a turn account for. */
async function spentOn(answers: readonly Answer[], more: Parameters<typeof turnInput>[0] = {}, signal?: AbortSignal) {
  const deps = turnDeps(scriptedModel(...answers), signal && { signal });
  const { journal } = await play(turnInput({ system: "abc ".repeat(100), ...more }), deps);
  const usages = journal.flatMap((entry: TranscriptEntry) => ("usage" in entry ? [entry.usage] : []));
  return usages.reduce((sum, usage) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0), 0);
}

describe("what a turn costs", () => {
  it("is what the provider counted", async () => {
    assert.equal(await spentOn([counting(says("yes"))]), 75);
  });

  it("is estimated where the provider does not count", async () => {
    const spent = await spentOn([says("abc ".repeat(100))]);
    assert.ok(spent >= 200 && spent < 400, String(spent));
  });

  it("is estimated where what the provider counted can't be", async () => {
    const guessed = await spentOn([says("abc ".repeat(100))]);
    const counts = (more: Partial<ModelUsage>) =>
      says("abc ".repeat(100)).map((event) =>
        event.type === "done" ? { ...event, usage: { ...counted, inputTokens: 0, outputTokens: 0, ...more } } : event,
      );
    for (const nonsense of [0, -1_000_000, Number.NaN, 1e300, Number.POSITIVE_INFINITY, 40_000_000])
      assert.equal(await spentOn([counts({ inputTokens: nonsense, outputTokens: nonsense })]), guessed, `${nonsense}`);
    const half = await spentOn([counts({ inputTokens: 70, outputTokens: 1e300 })]);
    assert.ok(half >= 70 + 100 && half < 70 + 200, String(half));
    assert.equal(await spentOn([counts({ inputTokens: 90_000, outputTokens: 150_000 })]), 240_000);
  });

  it("includes an answer that was stopped, with what was thought and said until then", async () => {
    const abort = new AbortController();
    const stopped = async function* (): AsyncGenerator<ModelEvent> {
      yield { type: "reasoning", text: "abc ".repeat(100) };
      yield { type: "delta", text: "abc ".repeat(100) };
      abort.abort();
      await new Promise(() => {});
    };
    const spent = await spentOn([stopped], {}, abort.signal);
    assert.ok(spent >= 300 && spent < 500, String(spent));
  });

  it("includes an answer that was cut off at the limit, whose provider never came to count", async () => {
    const endless = async function* (): AsyncGenerator<ModelEvent> {
      for (;;) yield { type: "delta", text: "abc ".repeat(100) };
    };
    const spent = await spentOn([endless], { maxOutputChars: 4_000 });
    assert.ok(spent >= 1_100 && spent < 1_500, String(spent));
  });

  it("includes empty answers, whether another follows or not", async () => {
    const empty = counting(says(""));
    assert.equal(await spentOn([empty, counting(says("yes"))]), 150);
    assert.equal(await spentOn([empty, empty]), 150);
  });

  it("includes what was said in vain, before another attempt, before another model, and before nothing more", async () => {
    const half = [{ type: "delta", text: "abc ".repeat(100) } as const, ...fails("truncated", { visible: true })];
    const again = await spentOn([half, counting(says("yes"))]);
    assert.ok(again >= 200 + 75 && again < 400 + 75, String(again));
    const other = [
      ...from("main", half.slice(0, 1), 2),
      { type: "restart" } as const,
      ...from("spare", says("yes"), 2),
    ];
    const taken = await spentOn([other]);
    assert.ok(taken >= 300 && taken < 600, String(taken));
    const failed = await spentOn([[...half.slice(0, 1), ...fails("bad_request", { visible: true })]]);
    assert.ok(failed >= 200 && failed < 400, String(failed));
    assert.equal(await spentOn([fails("bad_request")]), 0);
  });

  it("has the name and the price of the model that answered, and no price where none is known", async () => {
    assert.deepEqual(await paidFor([from("main", counting(says("yes")), 2)]), [
      ["main", "openai-chat", 70 * 2 + 5 * 10],
    ]);
    assert.deepEqual(await paidFor([from("main", counting(says("yes")))]), [["main", "openai-chat", undefined]]);
    const second = [...from("main", [], 2), ...from("spare", counting(says("yes")), 1)];
    assert.deepEqual(await paidFor([second]), [["spare", "openai-chat", 120]]);
  });

  it("adds up the price of an empty answer and the next, and knows none unless it knows both", async () => {
    const [empty, full] = [counting(says("")), counting(says("yes"))];
    assert.deepEqual(await paidFor([from("main", empty, 2), from("main", full, 2)]), [["main", "openai-chat", 380]]);
    assert.deepEqual(await paidFor([from("main", empty), from("main", full, 2)]), [["main", "openai-chat", undefined]]);
  });

  it("has a price for an answer that was stopped, by the estimate", async () => {
    const abort = new AbortController();
    const stopped = async function* (): AsyncGenerator<ModelEvent> {
      yield* from("main", [{ type: "delta", text: "abc ".repeat(100) }], 2);
      abort.abort();
      await new Promise(() => {});
    };
    const [[name, , cost] = []] = await paidFor([stopped], abort.signal);
    assert.ok(name === "main" && Number(cost) >= 1_000, String(cost));
  });

  it("is nothing where the provider failed", async () => {
    assert.equal(await spentOn([fails("auth")]), 0);
  });
});
