import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notices } from "./index.ts";
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
      content.includes("times in a row") ? [index + 1] : [],
    );
    return {
      code: outcome.status === "failed" ? outcome.code : outcome.status,
      hints,
      calls: resultsOf(journal).length,
    };
  };
  const always = (...names: string[]) => {
    let n = 0;
    return scriptedModel(({ toolChoice }) => {
      n += 1;
      return toolChoice === "none" ? says("Nothing new.") : calls(names[n % names.length] ?? "look");
    });
  };

  it("get a hint at three and an end at five where they bring the same", async () => {
    assert.deepEqual(await endOf(always("look"), () => "x"), { code: "repetition", hints: [3], calls: 5 });
  });

  it("get an end also where they go round a small circle", async () => {
    const { code, calls: made } = await endOf(always("look", "see"), () => "x");
    assert.deepEqual([code, made], ["repetition", 10]);
  });

  it("may look longer at what changes, but not for ever", async () => {
    let n = 0;
    assert.deepEqual(await endOf(always("look"), () => `x ${++n}`), { code: "repetition", hints: [3], calls: 15 });
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
