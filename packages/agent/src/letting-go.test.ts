import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { z } from "zod";
import { defineTool, type Tool, type ToolResult } from "./index.ts";
import { SteppedClock, settled } from "./stepped-clock.fixture.ts";
import {
  calls,
  kindsOf,
  late,
  play,
  resultsOf,
  said,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

/** Runs until it is ended or let go. */
function longTool(name = "build", canBeLetGo = true) {
  const ending = Promise.withResolvers<string>();
  let began = 0;
  const made: Tool = defineTool({
    ...{
      name,
      description: name,
      effect: "write",
      permissions: [],
      input: z.strictObject({ n: z.number().optional() }),
    },
    resources: () => [name],
    canBeLetGo: () => canBeLetGo,
    async execute(_, { letGo, tellLater }): Promise<ToolResult> {
      began += 1;
      const left = new Promise<"left">((resolve) => letGo?.addEventListener("abort", () => resolve("left")));
      const first = await Promise.race([ending.promise, left]);
      if (first !== "left") return { content: first };
      tellLater?.({ ended: ending.promise, content: () => "ended" });
      return { content: "40 % so far", later: { waitsFor: "process", shown: name, expiresAt: instantOf(0) } };
    },
  });
  return { tool: made, end: ending.resolve, began: () => began };
}

function world(tools: readonly Tool[], answers: Parameters<typeof scriptedModel>, words: () => boolean | Error) {
  const clock = new SteppedClock();
  const model = scriptedModel(...answers);
  let asked = 0;
  const told: string[] = [];
  const wordsWait = async () => {
    asked += 1;
    const answer = words();
    if (typeof answer === "boolean") return answer;
    throw answer;
  };
  const turn = play(
    turnInput({ tools }),
    turnDeps(model, { clock, wordsWait, steering: late([said("how far?")]), tellLater: (callId) => told.push(callId) }),
  );
  return { clock, model, turn, told, asked: () => asked };
}

describe("a long call", () => {
  it("is let go once people have written, and the model answers them at once", async () => {
    const { tool: build } = longTool();
    let hasWritten = false;
    const answers = [calls("build"), says("40 %.")] as const;
    const { clock, model, turn, told, asked } = world([build], [...answers], () => hasWritten);
    await clock.pass(9_900);
    assert.equal(asked(), 0, "ten seconds are no long time");
    await clock.pass(10_000);
    assert.ok(asked() > 5);
    assert.equal(model.requests.length, 1, "nobody has written");
    hasWritten = true;
    await clock.pass(1_000);
    const { journal, shown } = await turn;
    assert.deepEqual(kindsOf(journal), [
      ...["user", "assistant", "tool.started build", "tool.result build", "user", "assistant"],
    ]);
    assert.equal(shown, "40 %.");
    assert.match(JSON.stringify(model.requests[1]?.messages.slice(-2)), /40 % so far.*how far\?/);
    assert.equal(told.length, 1);
    const [result] = journal.filter((entry) => entry.kind === "tool.result");
    assert.equal(result?.later?.shown, "build");
  });

  it("is waited for while another one runs that can't be let go, or has only begun", async () => {
    const [build, other] = [longTool(), longTool("other", false)];
    const answers = [calls("build", "other"), says("40 %.")] as const;
    const { clock, model, turn, told } = world([build.tool, other.tool], [...answers], () => true);
    await clock.pass(20_000);
    assert.deepEqual([model.requests.length, told.length], [1, 0]);
    other.end("done");
    await clock.pass(1_000);
    assert.deepEqual(resultsOf((await turn).journal), ["40 % so far", "done"]);
  });

  it("has its ordinary result, once, when it ends as it is let go", async () => {
    const { tool: build, end } = longTool();
    const { clock, turn, told } = world([build], [calls("build"), says("Done.")], () => {
      end("built");
      return true;
    });
    await clock.pass(10_000);
    assert.deepEqual(resultsOf((await turn).journal), ["built"]);
    assert.equal(told.length, 0);
  });

  it("takes along none of its answer that has not begun: that may build on it", async () => {
    const build = longTool();
    const answers = [calls("build", "build", ["note", "{}"]), says("40 %.")] as const;
    const { clock, turn, told } = world([build.tool, tool("note", "write", () => "noted")], [...answers], () => true);
    await clock.pass(10_000);
    const { journal } = await turn;
    assert.match(resultsOf(journal).join("|"), /^40 % so far\|Not run: somebody has written[^|]*\|Not run: /);
    assert.deepEqual([build.began(), told.length], [1, 1]);
    assert.equal(journal.filter(({ kind }) => kind === "tool.started").length, 1);
  });

  it("is waited for where nobody knows whether words wait", async () => {
    const { tool: build, end } = longTool();
    const { clock, turn, asked } = world([build], [calls("build"), says("Done.")], () => new Error("away"));
    await clock.pass(12_000);
    end("built");
    await settled();
    assert.deepEqual(resultsOf((await turn).journal), ["built"]);
    assert.ok(asked() > 0);
  });

  it("is stopped with its turn", async () => {
    const { tool: build } = longTool();
    const stopping = new AbortController();
    const clock = new SteppedClock();
    const turn = play(
      turnInput({ tools: [build] }),
      turnDeps(scriptedModel(calls("build")), {
        ...{ clock, signal: stopping.signal, wordsWait: async () => true, tellLater: () => assert.fail("told") },
      }),
    );
    await clock.pass(9_000);
    stopping.abort("stopped");
    await clock.pass(5_000);
    assert.equal((await turn).outcome.status, "aborted");
  });
});
