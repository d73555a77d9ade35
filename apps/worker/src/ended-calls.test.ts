import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { defineTool, type Tool, type ToolResult } from "@talaria/agent";
import { instantOf, permissions, systemClock } from "@talaria/protocol";
import { z } from "zod";
import { calls, createTestStore, ScriptedModel, says, Talk, type TestStore, TestWorker } from "./worker.fixture.ts";

const note =
  /The call pay\(\{\}\), which went on beside your answers, was cancelled: [^<]*It may have taken effect: verify before retrying\./g;

describe("a call that goes on beside its turn and is ended by people", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  /** A conversation whose answer is over, while a call of it goes on. */
  async function begun(name = "pay", answers = Array.from({ length: 6 }, () => says("Well."))) {
    const talk = new Talk(test);
    const ended = Promise.withResolvers<void>();
    const tool: Tool = defineTool({
      ...{ name, description: name, effect: "write", permissions: [permissions[0]], input: z.strictObject({}) },
      execute: async (_, { tellLater, now }): Promise<ToolResult> => {
        tellLater?.({ ended: ended.promise, content: () => "it has ended" });
        const later = { waitsFor: "process", shown: "desk.pay", expiresAt: instantOf(now() + 60_000) } as const;
        return { content: "[still running]", later };
      },
    });
    const model = new ScriptedModel(calls(name), ...answers);
    const worker = await TestWorker.start(test, model, { tools: [tool] });
    const asks = async (words: string) => {
      await talk.say(words);
      await worker.run(talk.key);
      return JSON.stringify(model.requests.at(-1)?.messages).match(note)?.length ?? 0;
    };
    assert.equal(await asks("pay it"), 0);
    return { talk, worker, model, asks, end: ended.resolve };
  }

  it("is told once by the next turn after /stop, which nobody is woken for", { timeout: 120_000 }, async () => {
    const { talk, worker, model, asks } = await begun();
    assert.ok(await talk.control("stop"));
    await worker.run(talk.key);
    assert.equal(model.requests.length, 2, "the agent is not woken");
    assert.deepEqual([await asks("is it paid?"), await asks("is it?")], [1, 1]);
  });

  it("is told in each memory that holds it, and in no other", { timeout: 120_000 }, async () => {
    const said = Array.from({ length: 4 }, () => says("Well."));
    const { talk, asks } = await begun("pay", [says("Well."), says("Well."), calls("pay"), ...said]);
    const { key: sessionKey } = talk;
    assert.ok(await talk.settle({ kind: "branch", sessionKey, title: "branch" }));
    assert.equal(await asks("is it paid?"), 1, "the branch");
    assert.ok(await talk.control("reset"));
    assert.equal(await asks("pay something new"), 0, "a new conversation");
    assert.equal(await asks("how far?"), 0, "its own call goes on");
    assert.ok(await talk.settle({ kind: "resume", sessionKey, number: 1 }));
    assert.deepEqual([await asks("is it paid?"), await asks("is it?")], [1, 1], "the former one");
  });

  it("is told again where the turn that was told is taken back", { timeout: 120_000 }, async () => {
    const { talk, asks } = await begun();
    const { key: sessionKey } = talk;
    await talk.control("reset");
    await talk.settle({ kind: "resume", sessionKey, number: 1 });
    assert.equal(await asks("is it paid?"), 1);
    const [newest] = await test.store.memories.turns(sessionKey, 1);
    assert.ok(newest);
    assert.ok(await talk.settle({ kind: "undo", sessionKey, turns: [newest.turnId] }));
    assert.equal(await asks("is it paid?"), 1);
  });

  it("is told where its end has come and was dropped unread", { timeout: 120_000 }, async () => {
    const { talk, worker, asks, end } = await begun();
    end();
    while (!worker.woken.includes(talk.key)) await systemClock.sleep(10);
    assert.ok(await talk.control("stop"));
    assert.equal(await asks("is it paid?"), 1);
  });

  it("goes on where it was a process, whose end nobody tells any more", { timeout: 120_000 }, async () => {
    const { talk, asks, model } = await begun("process");
    assert.ok(await talk.control("stop"));
    assert.equal(await asks("does it run?"), 0);
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), /process\(\{\}\) tells nothing any more/);
  });
});
