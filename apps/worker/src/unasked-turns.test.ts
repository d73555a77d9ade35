import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { defineTool, type ToolResult } from "@talaria/agent";
import { instantOf, permissions, systemClock } from "@talaria/protocol";
import { unaskedPause } from "@talaria/sessions";
import { z } from "zod";
import { createTestStore, done, ScriptedModel, says, Talk, type TestStore, TestWorker } from "./worker.fixture.ts";

/** Lets what was begun last end, which must not be while its turn runs: that would read of it, and no other turn begin. */
let end: () => void = () => undefined;

/** Begins something that is told later, as often as it is called. */
const begins = defineTool({
  name: "begin",
  description: "begin",
  effect: "write",
  permissions: [permissions[0]],
  input: z.strictObject({}),
  execute: async (_, { tellLater, now }): Promise<ToolResult> => {
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    tellLater?.({ ended, content: () => "exit code 0" });
    const later = { waitsFor: "process", shown: "p1  running", expiresAt: instantOf(now() + 600_000) } as const;
    return { content: "begun", later };
  },
});

describe("turns that nobody has asked for", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("pause a conversation after so many in a row, until somebody writes", { timeout: 240_000 }, async ({ signal }) => {
    const talk = new Talk(test);
    let calls = 0;
    const again = async function* () {
      calls += 1;
      yield done("", [{ callId: `c${calls}`, name: "begin", arguments: "{}" }]);
    };
    const answers = Array.from({ length: unaskedPause.turns + 1 }, () => [again, says("It runs.")]).flat();
    const model = new ScriptedModel(...answers, says("I went on."));
    // What is waited for is shortened; the turn's own limit, a minute, is not.
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms < 60_000 ? Math.min(ms, 150) : ms, signal),
    };
    const worker = await TestWorker.start(test, model, { tools: [begins], clock });
    await talk.say("begin it");
    for (let turns = 1; turns <= unaskedPause.turns + 1; turns += 1) {
      await worker.run(talk.key);
      end();
      while (worker.woken.length < turns) await systemClock.sleep(5, signal);
    }
    const asked = model.requests.length;
    assert.equal(asked, 2 * (unaskedPause.turns + 1));
    await worker.run(talk.key);
    assert.equal(model.requests.length, asked, "no further turn has begun");
    assert.deepEqual((await talk.texts()).filter((text) => text === unaskedPause.markdown).length, 1);
    assert.deepEqual(await test.store.operations.stuck(0, 10), []);

    await talk.say("continue");
    await worker.run(talk.key);
    assert.equal((await talk.texts()).at(-1), "I went on.");
    const read = JSON.stringify(model.requests.at(-1)?.messages.slice(-3));
    assert.match(read, /went on after its result, has ended/);
    assert.match(read, /continue/);
  });
});
