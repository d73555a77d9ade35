import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ModelEvent, ModelUsage } from "@talaria/agent";
import { loadConfig } from "@talaria/config";
import { createSimulatedClock } from "@talaria/testkit";
import {
  type Answer,
  createTestStore,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
  tool,
} from "./worker.fixture.ts";

const { agent, limits } = loadConfig("accounts: {}", { file: "test", env: {} }).config;
const { maxSteps, turnTimeoutMs: timeoutMs } = agent;
const { spending } = limits;
const day = { member: spending.person.tokensPerDay, owner: spending.owner.tokensPerDay };

/** A step of the task that the defaults are made for: 30,000 tokens, most of them from the provider's cache. */
const cached: ModelUsage = { inputTokens: 30_000, cachedTokens: 28_500, outputTokens: 450, reasoningTokens: 0 };
/** The window of most models, read anew each time by a provider without a cache. */
const dear: ModelUsage = { inputTokens: 128_000, cachedTokens: 0, outputTokens: 100, reasoningTokens: 0 };

function counting(events: readonly ModelEvent[], usage: ModelUsage): readonly ModelEvent[] {
  return events.map((event) => (event.type === "done" ? { ...event, usage } : event));
}

function calling(name: string, usage: ModelUsage): readonly ModelEvent[] {
  const message = { role: "assistant", content: "", toolCalls: [{ callId: "c", name, arguments: "{}" }] } as const;
  return counting([{ type: "done", message, stop: "tool_calls", servedBy: "scripted" }], usage);
}

describe("the limits that are on without a configuration", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  const usedIn = async (talk: Talk) =>
    (await test.store.operations.spent([`tokens/person/${talk.account}/u1`]))[0]?.used ?? 0;

  it("let a task of 60 steps and an hour end, with a restart in it, for a tenth of a day", async () => {
    const clock = createSimulatedClock();
    const begunAt = clock.elapsed();
    const [steps, files] = [60, 20];
    let worker: TestWorker | undefined;
    const step = (n: number): Answer =>
      async function* () {
        await clock.advance(59_000);
        if (n === steps / 2) worker?.running.abortAll();
        yield* counting(n === steps ? says("All green.") : calling(`look-${n % files}`, cached), cached);
      };
    const model = new ScriptedModel(...Array.from({ length: steps }, (_, n) => step(n + 1)));
    let looked = 0;
    const tools = Array.from({ length: files }, (_, n) => tool(`look-${n}`, async () => `${++looked} tests pass`));
    const options = { spending, maxSteps, timeoutMs, tools, clock };
    const talk = new Talk(test);
    await talk.say("make the tests pass");
    for (let starts = 0; starts < 2; starts += 1) {
      worker = await TestWorker.start(test, model, options);
      await worker.run(talk.key);
    }
    assert.deepEqual(await talk.texts(), ["All green."]);
    assert.equal(clock.elapsed() - begunAt, steps * 59_000);
    assert.ok(looked >= steps - 2, `${looked} calls`);
    assert.ok(day.member !== "off" && (await usedIn(talk)) < day.member / 10);
  });

  it("are a day of twenty such tasks for an owner and a member, of two for a guest, of a hundred for an account", () => {
    const { guest, account } = spending;
    // 40 steps, as above.
    const task = 40 * (1_500 + 2_850 + 5 * 450);
    const tasks = [day.owner, day.member, guest.tokensPerDay, account.tokensPerDay].map((limit) =>
      limit === "off" ? limit : Math.floor(limit / task),
    );
    assert.deepEqual(tasks, [22, 22, 2, 113]);
    assert.deepEqual([maxSteps, timeoutMs], [200, 3_600_000]);
  });

  for (const [what, usage, names] of [
    ["one call, mostly from the cache", cached, ["look-0"]],
    ["one call, with a whole window read anew each time", dear, ["look-0"]],
    ["two calls in turn, with a whole window read anew each time", dear, ["look-0", "look-1"]],
    ["eight calls in turn", { ...cached, cachedTokens: 0 }, Array.from({ length: 8 }, (_, n) => `look-${n}`)],
  ] as const)
    it(`end what goes in circles below a tenth of a day: ${what}`, async () => {
      let asked = 0;
      const model = new ScriptedModel(async function* ({ toolChoice }) {
        const name = names[asked++ % names.length] ?? "";
        yield* toolChoice === "none" ? counting(says("Nothing new."), usage) : calling(name, usage);
      });
      const tools = names.map((name) => tool(name, async () => "the same"));
      const worker = await TestWorker.start(test, model, { spending, maxSteps, timeoutMs, tools });
      const talk = new Talk(test);
      await talk.say("look");
      await worker.run(talk.key);
      assert.match((await talk.texts()).join(), /doing the same/);
      const used = await usedIn(talk);
      assert.ok(day.member !== "off" && used > 0 && used < day.member / 10, `${used} tokens in ${asked} answers`);
    });
});
