import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import type { AuthoriseWith } from "./authorise.ts";
import { type Death, Life } from "./testing/mortal-turns.ts";
import {
  createTestStore,
  done,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
  tool,
} from "./worker.fixture.ts";

const asks: AuthoriseWith = ({ tool: { name } }) => ({
  decision: "ask",
  rule: "test",
  shown: `Deploy ${name}?`,
  approver: "owner",
  expiresAt: instantOf(Date.now() + 3_600_000),
});

function deploys(...names: readonly string[]) {
  return [
    done(
      "",
      names.map((name) => ({ callId: name, name, arguments: "{}" })),
    ),
  ];
}

describe("a call that is approved while a newer question waits", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  /** Two calls wait, people go on talking, and one more waits. */
  async function askedTwice(mode: "steer" | "queue", ...answers: readonly string[]) {
    const talk = new Talk(test);
    const ran: string[] = [];
    const model = new ScriptedModel(
      deploys("blue", "green"),
      ...(mode === "queue" ? [says("I wait for an owner.")] : []),
      deploys("red"),
      ...answers.map(says),
    );
    const tools = ["blue", "green", "red"].map((name) => ({
      ...tool(name, async () => `${name} ${ran.push(name)}`),
      effect: "write" as const,
    }));
    const start = async (death?: Death) => {
      const life = new Life(death, async () => undefined);
      const store = { ...test.store, turns: life.turns(test.store.turns) };
      return { life, worker: await TestWorker.start({ ...test, store }, model, { tools, authorise: asks }) };
    };
    const { worker } = await start();
    await talk.say("deploy blue and green");
    await worker.run(talk.key);
    await talk.say("and red", mode);
    await worker.run(talk.key);
    const waiting = await test.store.calls.waiting(talk.key);
    assert.deepEqual(
      waiting.map(({ name }) => name),
      ["blue", "green", "red"],
    );
    return { talk, ran, model, worker, waiting, start };
  }

  for (const mode of ["steer", "queue"] as const)
    it(`runs at once, and people read at once what came of it; the other questions go on waiting (${mode})`, async () => {
      const { talk, ran, model, worker, waiting } = await askedTwice(mode, "Blue is out.", "Red, too.");
      await talk.decide("approved", waiting[0]?.id);
      await worker.run(talk.key);
      assert.deepEqual(ran, ["blue"]);
      assert.match(JSON.stringify(model.requests.at(-1)?.messages.at(-1)), /was approved by .*blue 1/);
      assert.equal((await talk.texts()).at(-1), "Blue is out.");
      assert.deepEqual(await test.store.calls.waiting(talk.key), waiting.slice(1));
      await talk.decide("approved", waiting[2]?.id);
      await worker.run(talk.key);
      assert.deepEqual([ran, (await talk.texts()).at(-1)], [["blue", "red"], "Red, too."]);
      assert.deepEqual(await test.store.calls.waiting(talk.key), waiting.slice(1, 2));
    });

  it("is told where it was denied, too", async () => {
    const { talk, ran, worker, waiting } = await askedTwice("steer", "Blue stays.");
    await talk.decide("denied", waiting[0]?.id);
    await worker.run(talk.key);
    assert.deepEqual([ran, (await talk.texts()).at(-1)], [[], "Blue stays."]);
  });

  it("runs at most once and is told once, at whichever write its worker is killed", async () => {
    const play = async (death?: Death) => {
      const { talk, ran, model, worker, waiting, start } = await askedTwice("steer", "Blue is out.");
      await test.store.processes.retire(worker.id);
      await talk.decide("approved", waiting[0]?.id);
      const first = await start(death);
      await first.worker.run(talk.key).catch((error) => assert.ok(first.life.isDead, String(error)));
      await test.store.processes.retire(first.worker.id);
      await (await start()).worker.run(talk.key);
      const last = JSON.stringify(model.requests.at(-1)?.messages.at(-1));
      const isUnknown = /UNKNOWN/.test(last);
      assert.ok(ran.length <= 1 && (isUnknown || /blue 1/.test(last)), JSON.stringify({ death, ran, last }));
      assert.equal((await talk.texts()).filter((text) => text === "Blue is out.").length, 1, JSON.stringify(death));
      assert.deepEqual(await test.store.calls.waiting(talk.key), waiting.slice(1));
      return first.life.writes;
    };
    const writes = await play();
    assert.ok(writes >= 5, "claim, steer, start, result, waits, answer");
    for (let at = 1; at <= writes; at += 1) for (const when of ["before", "after"] as const) await play({ at, when });
  });
});
