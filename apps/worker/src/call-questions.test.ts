import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { defineTool, type Tool } from "@talaria/agent";
import type { PersonAnswer } from "@talaria/mcp";
import { instantOf, permissions, systemClock } from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";
import type { EventFacts } from "@talaria/testkit";
import { english } from "@talaria/words";
import { z } from "zod";
import {
  calls,
  createTestStore,
  done,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
  tool,
} from "./worker.fixture.ts";

const { callNotices } = english;

const hourMs = 3_600_000;
const inAnHour = () => instantOf(Date.now() + hourMs);
const question = { markdown: "Which table?", choices: ["Use: 4", "Decline"], takesWords: true };

describe("a call that asks people while it runs", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  /** A worker whose tool asks so often at once, and says what came of it. */
  async function asking({
    times = 1,
    withinMs = hourMs,
    timeoutMs = 60_000,
    effect = "read" as Tool["effect"],
    isResumed = false,
    before = async (): Promise<unknown> => undefined,
  } = {}) {
    const answers: PersonAnswer[] = [];
    const made: { worker?: TestWorker } = {};
    const book: Tool = defineTool({
      ...{ name: "book", description: "book", effect, timeoutMs, input: z.strictObject({}) },
      permissions: [permissions[0]],
      execute: async (_, context) => {
        await before();
        const ask = async () => {
          const answer = await made.worker?.questions.ask(context, { ...question, withinMs }, context.signal);
          assert.ok(answer);
          answers.push(answer);
        };
        await context.untimed?.(async () => void (await Promise.all(Array.from({ length: times }, ask))));
        return { content: answers.map((one) => ("content" in one ? one.content : one.status)).join(", ") };
      },
    });
    const model = new ScriptedModel(...(isResumed ? [] : [calls("book")]), says("booked"));
    const worker = await TestWorker.start(test, model, { tools: [book] });
    made.worker = worker;
    return { worker, model, answers };
  }

  async function asked(talk: Talk): Promise<OpenCall> {
    for (;;) {
      const [call] = await test.store.calls.waiting(talk.key);
      if (call !== undefined) return call;
      await systemClock.sleep(10);
    }
  }
  const answer = async ({ id, sessionKey }: OpenCall, content: string) =>
    await test.store.calls.settle({ id, sessionKey, settlement: "answered", content });
  const results = ({ requests }: ScriptedModel) =>
    requests.at(-1)?.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));

  it("has its answer, and nothing of it is an event of the conversation", async () => {
    const talk = new Talk(test);
    const { worker, model } = await asking({ timeoutMs: 300 });
    await talk.say("book a table");
    const running = worker.run(talk.key);
    const call = await asked(talk);
    assert.deepEqual(
      [call.waitsFor, call.heldBy, call.arguments],
      ["form", worker.id, JSON.stringify({ choices: question.choices, takesWords: true })],
    );
    assert.deepEqual(
      call.askers.map(({ sender }) => sender.role),
      ["person"],
    );
    const [shown] = await talk.outbox();
    assert.match(shown?.markdown ?? "", /^Which table\?\n\nYour next words here are the answer/);
    assert.deepEqual(shown?.choices, [
      { id: `answer-${call.id}-1`, label: "Use: 4" },
      { id: `answer-${call.id}-2`, label: "Decline" },
    ]);
    assert.ok(worker.delivered.length > 0);
    // Longer than the call may run.
    await systemClock.sleep(500);
    assert.equal(await answer(call, "the one by the window"), true);
    worker.questions.look(talk.key);
    await running;
    assert.deepEqual(results(model), ["the one by the window"]);
    assert.deepEqual(worker.finished, ["answered"]);
    assert.equal(model.requests.length, 2);
    assert.equal(await answer(call, "another"), false);
  });

  it("asks one thing after the other, and finds answers whose signal was lost", async () => {
    const talk = new Talk(test, { kind: "group", conversation: "g1" });
    const { worker, model } = await asking({ times: 2 });
    await talk.say("book a table");
    const running = worker.run(talk.key);
    const first = await asked(talk);
    assert.equal((await test.store.calls.waiting(talk.key)).length, 1);
    await answer(first, "4");
    const second = await asked(talk);
    assert.notEqual(second.id, first.id);
    const shown = (await talk.texts()).join("\n");
    assert.match(shown, new RegExp(`reply to this message, or write \`/answer ${second.id}\``));
    await answer(second, "5");
    await running;
    assert.deepEqual(results(model), ["4, 5"]);
  });

  it("is not answered while its turn is being stopped, though its question is closed already", async () => {
    const talk = new Talk(test);
    const { worker, model } = await asking();
    await talk.say("book a table");
    const running = worker.run(talk.key);
    const { id } = await asked(talk);
    await test.store.calls.settle({ id, sessionKey: talk.key, settlement: "cancelled" });
    worker.questions.look(talk.key);
    await systemClock.sleep(300);
    assert.equal(model.requests.length, 1, "the call still runs");
    await talk.control("stop");
    await worker.running.check(talk.key);
    await running;
    assert.deepEqual(worker.finished, ["stopped"]);
    assert.equal(model.requests.length, 1);
  });

  it("is not asked when its turn has been ended and its worker was not told: the turn ends with it", async () => {
    const talk = new Talk(test);
    const { worker, model } = await asking({ before: () => talk.control("stop") });
    await talk.say("book a table");
    await worker.run(talk.key);
    assert.deepEqual(worker.finished, ["stopped"]);
    assert.equal(model.requests.length, 1);
    assert.deepEqual(await test.store.calls.waiting(talk.key), []);
    assert.equal((await talk.outbox()).filter(({ deliveryKey }) => deliveryKey.startsWith("ask:")).length, 0);
  });

  it("ends with /stop and in time: the question is closed", async () => {
    const talk = new Talk(test);
    const { worker, answers } = await asking();
    await talk.say("book a table");
    const running = worker.run(talk.key);
    const call = await asked(talk);
    await talk.control("stop");
    await worker.running.check(talk.key);
    await running;
    assert.equal((await test.store.calls.find(call.id))?.settlement, "cancelled");
    assert.deepEqual(worker.finished, ["stopped"]);
    while (answers.length === 0) await systemClock.sleep(10);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ["unanswered"],
    );

    const late = new Talk(test);
    const other = await asking({ withinMs: 50 });
    await late.say("book a table");
    await other.worker.run(late.key);
    assert.deepEqual(results(other.model), ["unanswered"]);
    assert.equal((await late.outbox()).filter(({ deliveryKey }) => deliveryKey.startsWith("ask:")).length, 1);
  });

  it("is said to be unknown by the worker that takes its turn over, and people are told", async () => {
    const talk = new Talk(test);
    const { worker } = await asking({ effect: "write" });
    await talk.say("book a table");
    const running = worker.run(talk.key);
    const { id } = await asked(talk);
    worker.running.close();
    worker.running.abortAll();
    await running;
    assert.equal((await test.store.calls.find(id))?.settlement, undefined, "who goes on closes it");
    const next = await asking({ effect: "write", isResumed: true });
    await next.worker.run(talk.key);
    assert.equal((await test.store.calls.find(id))?.settlement, "cancelled");
    assert.equal((await talk.texts()).filter((text) => text === callNotices.voidQuestion).length, 1);
    const [result = ""] = results(next.model) ?? [];
    assert.match(result, /^UNKNOWN: interrupted while it waited for people to answer.*make the call again/);
  });

  it("is unknown where somebody had answered before its worker went", async () => {
    const talk = new Talk(test);
    const { worker } = await asking({ effect: "write" });
    await talk.say("book a table");
    const running = worker.run(talk.key);
    await answer(await asked(talk), "4");
    worker.running.close();
    worker.running.abortAll();
    await running;
    const next = await asking({ effect: "write", isResumed: true });
    await next.worker.run(talk.key);
    assert.deepEqual(results(next.model), ["UNKNOWN: interrupted, verify before retrying"]);
    assert.ok(!(await talk.texts()).includes(callNotices.voidQuestion));
  });

  it("asks nothing where five questions wait in its conversation, and says so", async () => {
    const talk = new Talk(test);
    const pays = Array.from({ length: 5 }, (_, n) => ({ callId: `p${n}`, name: "pay", arguments: "{}" }));
    const first = await TestWorker.start(test, new ScriptedModel([done("", pays)]), {
      tools: [tool("pay", async () => "paid")],
      authorise: () => ({ decision: "ask", rule: "test", shown: "Pay?", approver: "owner", expiresAt: inAnHour() }),
    });
    await talk.say("pay all of them");
    await first.run(talk.key);
    assert.equal((await test.store.calls.waiting(talk.key)).length, 5);
    const { worker, model } = await asking({ withinMs: 200 });
    await talk.say("book a table");
    await worker.run(talk.key);
    assert.match((results(model) ?? []).join(), /5 questions wait for people already/);
    assert.equal((await test.store.calls.waiting(talk.key)).length, 5);
  });

  it("asks nobody where no person could answer", async () => {
    const nobody: readonly EventFacts[] = [
      { platform: "webhook", role: "system" },
      { assurance: "claimed" },
      { role: "bot" },
      { kind: "group", guest: true },
    ];
    for (const facts of nobody) {
      const talk = new Talk(test, facts);
      const { worker, model } = await asking();
      await talk.say("book a table");
      await worker.run(talk.key);
      assert.deepEqual(results(model), ["nobody"], JSON.stringify(facts));
      assert.deepEqual(await test.store.calls.waiting(talk.key), []);
    }
  });
});
