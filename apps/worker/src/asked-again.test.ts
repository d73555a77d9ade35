import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { defineTool, type Tool } from "@talaria/agent";
import { permissions, systemClock } from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";
import { z } from "zod";
import { calls, createTestStore, ScriptedModel, says, Talk, type TestStore, TestWorker } from "./worker.fixture.ts";

const question = { markdown: "Which table?", choices: ["4", "Decline"], takesWords: true, withinMs: 3_600_000 };

describe("a call that asks people, whose worker is replaced", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  /** Two workers, one after the other, with a tool that asks. The first one runs until its question waits. */
  async function replaced({ effect = "read", asks = () => question }: Partial<Asking> = {}) {
    const talk = new Talk(test);
    const model = new ScriptedModel(calls("book"), says("booked"));
    const start = async () => {
      const made: { worker?: TestWorker } = {};
      const tool: Tool = defineTool({
        ...{ name: "book", description: "book", effect, timeoutMs: 60_000, input: z.strictObject({}) },
        permissions: [permissions[0]],
        execute: async (_, context) => {
          const answer = await made.worker?.questions.ask(context, asks(), context.signal);
          return { content: answer?.status === "answered" ? answer.content : String(answer?.status) };
        },
      });
      made.worker = await TestWorker.start(test, model, { tools: [tool] });
      return made.worker;
    };
    const [first, other] = [await start(), await start()];
    await talk.say("book a table");
    const running = first.run(talk.key);
    const asked = await waiting(talk);
    return { talk, model, first, other, running, asked };
  }

  async function waiting(talk: Talk, isMeant: (call: OpenCall) => boolean = () => true): Promise<OpenCall> {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const call = (await test.store.calls.waiting(talk.key)).find(isMeant);
      if (call !== undefined) return call;
      await systemClock.sleep(10);
    }
    throw new Error("nothing is asked");
  }
  const answer = async ({ id, sessionKey }: OpenCall, content: string) =>
    await test.store.calls.settle({ id, sessionKey, settlement: "answered", content });
  const shown = async (talk: Talk) => (await talk.outbox()).filter(({ deliveryKey }) => deliveryKey.startsWith("ask:"));
  const results = ({ requests }: ScriptedModel) =>
    requests.at(-1)?.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));

  it("is asked once: the message and its number stay valid after a restart", async () => {
    const { talk, model, first, other, running, asked } = await replaced();
    first.running.abortAll();
    await running;
    assert.equal((await test.store.calls.find(asked.id))?.settlement, undefined);
    const resumed = other.run(talk.key);
    await waiting(talk, ({ heldBy }) => heldBy === other.id);
    assert.equal((await shown(talk)).length, 1);
    assert.equal(await answer(asked, "by the window"), true);
    other.questions.look(talk.key);
    await resumed;
    assert.deepEqual([results(model), other.finished], [["by the window"], ["answered"]]);
  });

  it("is asked once after a worker lost its session, which closes nothing by that", async () => {
    const { talk, model, first, other, running, asked } = await replaced();
    first.running.abort(talk.key, "lost");
    await running;
    assert.equal((await test.store.calls.find(asked.id))?.settlement, undefined);
    await test.store.processes.retire(first.id);
    const resumed = other.run(talk.key);
    await waiting(talk, ({ heldBy }) => heldBy === other.id);
    await answer(asked, "4");
    other.questions.look(talk.key);
    await resumed;
    assert.deepEqual([results(model), (await shown(talk)).length], [["4"], 1]);
  });

  it("has the answer that came in between", async () => {
    const { talk, model, first, other, running, asked } = await replaced();
    first.running.abortAll();
    await running;
    await answer(asked, "by the door");
    await other.run(talk.key);
    assert.deepEqual([results(model), (await shown(talk)).length], [["by the door"], 1]);
  });

  it("asks anew what it asks in other words, and closes what it asked before", async () => {
    let times = 0;
    const asks = () => {
      times += 1;
      return { ...question, markdown: `Which table? ${times}` };
    };
    const { talk, model, first, other, running, asked } = await replaced({ asks });
    first.running.abortAll();
    await running;
    const resumed = other.run(talk.key);
    const second = await waiting(talk, ({ id }) => id !== asked.id);
    assert.equal((await test.store.calls.find(asked.id))?.settlement, "cancelled");
    await answer(second, "4");
    other.questions.look(talk.key);
    await resumed;
    assert.deepEqual([results(model), (await shown(talk)).length], [["4"], 2]);
  });

  it("is closed where the call does not run again", async () => {
    const { talk, model, first, other, running, asked } = await replaced({ effect: "write" });
    first.running.abortAll();
    await running;
    await other.run(talk.key);
    assert.match(String(results(model)), /^UNKNOWN/);
    assert.equal((await test.store.calls.find(asked.id))?.settlement, "cancelled");
    assert.deepEqual(await test.store.calls.waiting(talk.key), []);
  });
});

interface Asking {
  readonly effect: "read" | "write";
  readonly asks: () => typeof question;
}
