import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notices, type TranscriptEntry } from "./index.ts";
import { repetitionIn } from "./repetition.ts";
import { calls, fails, play, resultsOf, said, says, scriptedModel, tool, turnDeps, turnInput } from "./turn.fixture.ts";

it("stops at the step limit with every call answered and a last answer without tools, which keep their place", async () => {
  let n = 0;
  const model = scriptedModel(({ toolChoice }) =>
    toolChoice === "none" ? says("Found two of three.") : calls(["look", JSON.stringify({ n: ++n })]),
  );
  const { outcome, journal } = await play(
    turnInput({ tools: [tool("look", "read", () => "x")], maxSteps: 3 }),
    turnDeps(model),
  );
  assert.equal(outcome.status === "failed" && outcome.code, "step_limit");
  assert.match(
    outcome.status === "failed" ? outcome.notice : "",
    /^Found two of three\.\n\nI stopped because .*continue/,
  );
  assert.equal(model.requests.length, 4);
  assert.deepEqual(model.requests[3]?.tools, model.requests[2]?.tools);
  assert.equal(resultsOf(journal).length, 3);
  assert.ok(journal.some((entry) => entry.kind === "assistant" && entry.content === "Found two of three."));
});

it("stops at the step limit also where the model has no last answer, and asks for none twice after a crash", async () => {
  const model = scriptedModel(calls("look"), fails("bad_request"));
  const input = turnInput({ tools: [tool("look", "read", () => "x")], maxSteps: 1 });
  const { outcome, journal } = await play(input, turnDeps(model));
  assert.equal(outcome.status === "failed" && outcome.notice, notices.step_limit);
  const written = journal.slice(0, -1);
  const again = await play({ ...input, journal: written }, turnDeps(scriptedModel(says("That much."))));
  assert.match(again.outcome.status === "failed" ? again.outcome.notice : "", /^That much\./);
  const told = again.journal.filter((entry) => entry.kind === "note" && entry.text.includes("without calling tools"));
  assert.equal(told.length, 1);
});

describe("calls that are made again and again", () => {
  const tools = (brings: () => string) => [tool("look", "read", brings), tool("see", "read", brings)];
  const endOf = async (model: ReturnType<typeof scriptedModel>, brings: () => string) => {
    const input = turnInput({ tools: tools(brings), maxSteps: 60 });
    const { outcome, journal } = await play(input, turnDeps(model));
    const hints = resultsOf(journal).flatMap((content, index) =>
      content.includes("again and again") ? [index + 1] : [],
    );
    return {
      code: outcome.status === "failed" ? outcome.code : outcome.status,
      hints,
      calls: resultsOf(journal).length,
    };
  };
  const always = (...names: (string | readonly [string, string])[]) => {
    let n = 0;
    return scriptedModel(({ toolChoice }) => {
      n += 1;
      return toolChoice === "none" ? says("Nothing new.") : calls(names[n % names.length] ?? "look");
    });
  };

  it("get a hint at three and an end at five where they bring the same", async () => {
    assert.deepEqual(await endOf(always("look"), () => "x"), { code: "repetition", hints: [3], calls: 5 });
  });

  for (const [length, idle, busy] of [
    [1, 5, 10],
    [2, 10, 20],
    [3, 15, 24],
    [4, 20, 24],
    [5, 20, 20],
    [6, 24, 24],
    [7, 21, 21],
    [8, 24, 24],
  ] as const)
    it(`get one hint, and an end after ${idle} or ${busy} where they go round a circle of ${length}`, async () => {
      const circle = Array.from({ length }, (_, n) => ["look", JSON.stringify({ n })] as const);
      const hints = [Math.min(3, Math.floor(24 / length) - 1) * length];
      assert.deepEqual(await endOf(always(...circle), () => "x"), { code: "repetition", hints, calls: idle });
      let n = 0;
      assert.deepEqual(await endOf(always(...circle), () => `x ${++n}`), { code: "repetition", hints, calls: busy });
    });

  it("are counted from the newest on, whatever came before, and when the same calls are a part of the circle", async () => {
    let n = 0;
    const round = ["look", "look", "see"] as const;
    const model = scriptedModel(({ toolChoice }) => {
      n += 1;
      if (toolChoice === "none") return says("Nothing new.");
      return n <= 5 ? calls(["look", JSON.stringify({ n })]) : calls(round[(n - 6) % 3] ?? "look");
    });
    assert.deepEqual(await endOf(model, () => "x"), { code: "repetition", hints: [5 + 9], calls: 5 + 15 });
  });

  it("end sooner where each answer is dear, and not where results differ", () => {
    const journal = (length: number, inputTokens: number, brings: (n: number) => string): readonly TranscriptEntry[] =>
      Array.from({ length }, (_, n): readonly TranscriptEntry[] => {
        const call = { callId: `c${n}`, name: "look", arguments: "{}" };
        const usage = { inputTokens, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };
        return [
          { kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tool_calls", usage },
          { kind: "tool.result", callId: `c${n}`, name: "look", content: brings(n), isError: false },
        ];
      }).flat();
    assert.equal(repetitionIn(journal(2, 200_000, () => "x")), undefined);
    assert.equal(repetitionIn(journal(3, 99_000, () => "x")), "noticed");
    assert.equal(repetitionIn(journal(3, 100_000, () => "x")), "over");
    assert.equal(repetitionIn(journal(3, 200_000, String)), "noticed");
  });

  it("are looked at as much after a thousand answers as after thirty", () => {
    const answer = (n: number): TranscriptEntry => ({
      ...{ kind: "assistant", content: "", model: "m", stop: "tool_calls" },
      toolCalls: [{ callId: `c${n}`, name: "look", arguments: `{"n":${n}}` }],
    });
    let read = 0;
    const old = new Proxy(answer(0), {
      get: (target, key) => {
        read += 1;
        return Reflect.get(target, key);
      },
    });
    assert.equal(repetitionIn([old, ...Array.from({ length: 33 }, (_, n) => answer(n + 1))]), undefined);
    assert.equal(read, 0);
  });

  it("are none when they differ", async () => {
    let n = 0;
    const differing = scriptedModel(() => (++n > 20 ? says("Done.") : calls(["look", JSON.stringify({ n })])));
    assert.equal((await endOf(differing, () => "x")).code, "completed");
  });
});

it("says what was read before a conversation was shortened, when a turn begins to read it all again", async () => {
  const read = (n: number) => ({ callId: `c${n}`, name: "look", arguments: JSON.stringify({ n }) });
  const answer = (n: number) =>
    ({ kind: "assistant", content: "", toolCalls: [read(n)], model: "m", stop: "tool_calls" }) as const;
  const result = (n: number) =>
    ({ kind: "tool.result", callId: `c${n}`, name: "look", content: "x", isError: false }) as const;
  const cleared = { kind: "cleared", at: said("a").at, reason: "full", keeps: 0, results: [] } as const;
  const journal = [
    said("a"),
    ...[1, 2, 3, 4].flatMap((n) => [answer(n), result(n)]),
    { ...cleared, tokens: { before: 9, after: 1 } },
  ];
  const again = [1, 2, 3].map((n) => calls(["look", JSON.stringify({ n })]));
  const played = await play(
    turnInput({ tools: [tool("look", "read", () => "x")], journal }),
    turnDeps(scriptedModel(...again, says("Enough."))),
  );
  const hinted = resultsOf(played.journal).map((content) => content.includes("before the conversation was shortened"));
  assert.deepEqual(hinted, [false, false, false, false, false, false, true]);
});
