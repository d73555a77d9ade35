import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { blockersOf } from "./call-order.ts";
import { checkCall } from "./check-call.ts";
import { defineTool, type Tool } from "./tool.ts";
import { calls, play, resultsOf, says, scriptedModel, turnDeps, turnInput } from "./turn.fixture.ts";

const input = z.strictObject({ on: z.array(z.string()).optional(), n: z.number().optional() });

/** A tool whose calls name what they touch; without `on`, everything. */
function touching(
  name: string,
  effect: Tool["effect"],
  execute: (given: z.output<typeof input>) => Promise<string>,
): Tool {
  return defineTool({
    name,
    description: name,
    effect,
    permissions: [],
    input,
    resources: ({ on }) => on,
    execute: async (given) => ({ content: await execute(given) }),
  });
}

function turnOf(tools: readonly Tool[], ...asked: readonly (readonly [string, object])[]) {
  const model = scriptedModel(calls(...asked.map(([name, args]) => [name, JSON.stringify(args)] as const)), says("ok"));
  return play(turnInput({ tools }), turnDeps(model));
}

describe("the calls of one answer", () => {
  it("writes to different things side by side", async () => {
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const write = touching("write", "write", async ({ n }) => {
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      return `wrote ${n}`;
    });
    const { journal } = await turnOf([write], ["write", { on: ["a"], n: 1 }], ["write", { on: ["b"], n: 2 }]);
    assert.deepEqual(resultsOf(journal), ["wrote 1", "wrote 2"]);
  });

  it("never overlaps two that touch one thing where one of them writes, and keeps their order", async () => {
    const call = fc.record({
      effect: fc.constantFrom("read", "write"),
      on: fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 }), { nil: undefined }),
      ticks: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 14 }), async (plan) => {
        const running = new Set<number>();
        const begun: number[] = [];
        const meets = (one: number, other: number) => {
          const [first, second] = [plan[one], plan[other]];
          if (first?.effect !== "write" && second?.effect !== "write") return false;
          const [mine, theirs] = [first?.on, second?.on];
          if (mine?.length === 0 || theirs?.length === 0) return false;
          return mine === undefined || theirs === undefined || mine.some((each) => theirs.includes(each));
        };
        const execute = async ({ n = 0 }: { n?: number | undefined }) => {
          for (const other of running) assert.ok(!meets(n, other), `${n} beside ${other}`);
          for (const other of begun) assert.ok(other < n || !meets(n, other), `${n} after ${other}`);
          assert.ok(running.size < 8);
          running.add(n);
          begun.push(n);
          for (let tick = plan[n]?.ticks ?? 0; tick > 0; tick -= 1) await new Promise(setImmediate);
          running.delete(n);
          return String(n);
        };
        const tools = [touching("read", "read", execute), touching("write", "write", execute)];
        const asked = plan.map(({ effect, on }, n) => [effect, on === undefined ? { n } : { n, on }] as const);
        const { journal } = await turnOf(tools, ...asked);
        assert.deepEqual(
          resultsOf(journal),
          plan.map((_, n) => String(n)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("lets calls that leave nothing run beside each other, and beside nothing else", () => {
    const command = defineTool({
      ...{ name: "command", description: "command", effect: "write", permissions: [], input },
      leavesNothing: ({ n }) => n === 0,
      execute: async () => ({ content: "" }),
    });
    const write = touching("write", "write", async () => "");
    const read = touching("read", "read", async () => "");
    const tools = new Map([command, write, read].map((tool) => [tool.name, tool]));
    const asked = ['{"n":0}', '{"n":0}', '{"on":["x"]}', '{"n":0}', '{"n":1}', '{"n":0}', '{"on":["x"]}', "{}"];
    const checked = asked.map((text, index) =>
      checkCall(
        {
          callId: `${index}`,
          name: text === "{}" ? "read" : text.includes("on") ? "write" : "command",
          arguments: text,
        },
        { tools, requesters: [], stop: "tool_calls", wasStarted: false, authorise: () => ({ decision: "allow" }) },
      ),
    );
    assert.deepEqual(blockersOf(checked), [[], [], [0, 1], [2], [0, 1, 2, 3], [2, 4], [0, 1, 2, 3, 4, 5], [2, 4, 6]]);
  });

  it("takes a tool that can't say what it touches for one that touches everything", () => {
    const lost = defineTool({
      name: "lost",
      description: "lost",
      effect: "write",
      permissions: [],
      input,
      resources: () => {
        throw new Error("no idea");
      },
      execute: async () => ({ content: "" }),
    });
    const other = touching("other", "read", async () => "");
    const tools = new Map([lost, other].map((tool) => [tool.name, tool]));
    const checked = [
      { callId: "1", name: "lost", arguments: "{}" },
      { callId: "2", name: "other", arguments: '{"on":["x"]}' },
      { callId: "3", name: "other", arguments: '{"on":[]}' },
      { callId: "4", name: "unknown", arguments: "{}" },
    ].map((call) =>
      checkCall(call, {
        tools,
        requesters: [],
        stop: "tool_calls",
        wasStarted: false,
        authorise: () => ({ decision: "allow" }),
      }),
    );
    assert.deepEqual(blockersOf(checked), [[], [0], [], []]);
  });
});
