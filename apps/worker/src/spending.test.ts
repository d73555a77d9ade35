import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ModelEvent } from "@talaria/agent";
import { limitId, type SpendingLimits } from "@talaria/policy";
import { instantOf } from "@talaria/protocol";
import {
  calls,
  createTestStore,
  hangs,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
  tool,
} from "./worker.fixture.ts";

const off = { turnsPerMinute: "off", tokensPerDay: "off" } as const;

function limits(person: Partial<SpendingLimits["person"]>): SpendingLimits {
  return { person: { ...off, ...person }, guest: off, conversation: off, account: off };
}

/** The same answer, as a provider that counted tokens gives it. */
function counting(answer: readonly ModelEvent[], tokens: number): readonly ModelEvent[] {
  const usage = { inputTokens: tokens, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  return answer.map((event) => (event.type === "done" ? { ...event, usage } : event));
}

describe("spending limits in a worker", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("answers up to the limit, then says so once, and is silent", async () => {
    const model = new ScriptedModel(says("yes"));
    const worker = await TestWorker.start(test, model, { spending: limits({ turnsPerMinute: 2 }) });
    const talk = new Talk(test);
    const events = [];
    for (const text of ["one", "two", "three", "four", "five"]) {
      events.push(await talk.say(text));
      await worker.run(talk.key);
    }
    assert.equal(model.requests.length, 2);
    const [first, second, notice, ...more] = await talk.texts();
    assert.deepEqual([first, second, more], ["yes", "yes", []]);
    assert.match(
      notice ?? "",
      /^You've reached the limit of messages per minute\. Please write again in \d+ seconds\.$/,
    );
    assert.deepEqual(await Promise.all(events.map((event) => talk.stateOf(event))), [
      "answered",
      "answered",
      "dropped",
      "dropped",
      "dropped",
    ]);
    assert.ok(worker.delivered.length > model.requests.length, "the gateway hears of the notice too");
  });

  it("ends a turn between two steps when its tokens are spent, and says why", async () => {
    const model = new ScriptedModel(counting(calls("look"), 60), counting(calls("look"), 60), says("never said"));
    let looked = 0;
    const look = tool("look", async () => {
      looked += 1;
      return "nothing";
    });
    const worker = await TestWorker.start(test, model, { spending: limits({ tokensPerDay: 100 }), tools: [look] });
    const talk = new Talk(test);
    await talk.say("look around");
    await worker.run(talk.key);
    assert.deepEqual([model.requests.length, looked], [2, 1]);
    const number = limitId(`tokens/person/${talk.account}/u1`);
    assert.deepEqual(await talk.texts(), [
      `I stopped here after 1 call. You've reached your daily limit of tokens. Say "continue" in 24 hours to go on, or ask an owner: \`/lift ${number}\` lifts the limit for a day.`,
    ]);
    await talk.say("go on");
    await worker.run(talk.key);
    assert.equal(model.requests.length, 2);
    assert.equal(
      (await talk.texts())[1],
      `You've reached your daily limit of tokens. Please write again in 24 hours, or ask an owner: \`/lift ${number}\` lifts the limit for a day.`,
    );
  });

  it("goes on where the limit ended a turn, once it is over", async () => {
    const answers = [counting(calls("look"), 200), says("Nothing there.")];
    const model = new ScriptedModel(...answers);
    const tools = [tool("look", async () => "nothing")];
    const limited = await TestWorker.start(test, model, { spending: limits({ tokensPerDay: 100 }), tools });
    const talk = new Talk(test);
    await talk.say("look around");
    await limited.run(talk.key);
    assert.match(
      (await talk.texts())[0] ?? "",
      /^I stopped here\. You've reached .*Say "continue" in 24 hours to go on, or ask an owner/,
    );
    await talk.say("continue");
    await (await TestWorker.start(test, model, { spending: limits({}), tools })).run(talk.key);
    assert.equal((await talk.texts()).at(-1), "Nothing there.");
    const shown = JSON.stringify(model.requests[1]?.messages);
    for (const known of ["look around", "Cancelled.", "continue"]) assert.ok(shown.includes(known), known);
  });

  it("counts an answer that its asker stops: nobody asks for free by stopping each answer", async () => {
    const model = new ScriptedModel(hangs("As I was say"), says("never asked"));
    const worker = await TestWorker.start(test, model, { spending: limits({ tokensPerDay: 1 }) });
    const talk = new Talk(test);
    await talk.say("tell me everything");
    const running = worker.run(talk.key);
    await model.wasAsked(1);
    await talk.control("stop");
    await worker.running.check(talk.key);
    await running;
    await talk.say("and again");
    await worker.run(talk.key);
    assert.equal(model.requests.length, 1);
    assert.match((await talk.texts()).at(-1) ?? "", /^You've reached your daily limit of tokens\./);
  });

  for (const turnsPerMinute of [2, 3])
    it(`charges those who asked for what was approved, and runs it, with ${turnsPerMinute} turns a minute`, async () => {
      const model = new ScriptedModel(
        calls("deploy"),
        says("I wait."),
        says("Still."),
        says("Deployed."),
        says("never"),
      );
      let deployed = 0;
      const deploy = tool("deploy", async () => `deployed ${++deployed}`);
      const expiresAt = instantOf(Date.now() + 3_600_000);
      const worker = await TestWorker.start(test, model, {
        spending: limits({ turnsPerMinute }),
        tools: [deploy],
        authorise: () => ({ decision: "ask", rule: "test", shown: "Deploy?", approver: "member", expiresAt }),
      });
      const talk = new Talk(test);
      for (const text of ["deploy", "how long?"]) {
        await talk.say(text);
        await worker.run(talk.key);
      }
      await talk.decide("approved");
      await worker.run(talk.key);
      assert.deepEqual([deployed, (await talk.texts()).at(-1)], [1, "Deployed."]);
      await talk.say("more");
      await worker.run(talk.key);
      assert.match((await talk.texts()).at(-1) ?? "", /^You've reached the limit of messages per minute\./);
    });

  for (const limit of ["turnsPerMinute", "tokensPerDay"])
    it(`lets nobody begin where ${limit} is 0, and says so`, async () => {
      const model = new ScriptedModel(says("yes"));
      const worker = await TestWorker.start(test, model, { spending: limits({ [limit]: 0 }) });
      const talk = new Talk(test);
      for (const text of ["one", "two"]) {
        await talk.say(text);
        await worker.run(talk.key);
      }
      assert.equal(model.requests.length, 0);
      assert.equal((await talk.texts()).length, 1);
    });

  it("lets no more turns begin at once than the tokens are for that they are about to take", async (context) => {
    const { promise: rest, resolve } = Promise.withResolvers<string>();
    const model = new ScriptedModel(hangs("y", rest));
    const spending = { ...limits({}), total: { ...off, tokensPerDay: 1 } };
    const worker = await TestWorker.start(test, model, { spending });
    const talks = Array.from({ length: 12 }, () => new Talk(test));
    for (const talk of talks) await talk.say("all of us");
    let ended = 0;
    const runs = talks.map((talk) => worker.run(talk.key).then(() => (ended += 1)));
    await context.waitFor(() => assert.equal(ended + model.requests.length, talks.length), { timeout: 120_000 });
    resolve("es");
    await Promise.all(runs);
    assert.equal(model.requests.length, 1);
    const answers = (await Promise.all(talks.map((talk) => talk.texts()))).flat();
    assert.equal(answers.filter((text) => text === "yes").length, 1);
  });

  it("counts nothing and refuses nobody when all limits are off", async () => {
    const model = new ScriptedModel(counting(says("yes"), 1_000_000));
    const worker = await TestWorker.start(test, model, { spending: limits({}) });
    const talk = new Talk(test);
    for (let n = 0; n < 5; n += 1) {
      await talk.say(`${n}`);
      await worker.run(talk.key);
    }
    assert.equal(model.requests.length, 5);
  });

  it("says to an owner in private how to lift their own limit, with a button", async () => {
    const model = new ScriptedModel(counting(calls("look"), 100), says("never said"));
    const owner = { ...off, tokensPerDay: 100 };
    const tools = [tool("look", async () => "nothing")];
    const worker = await TestWorker.start(test, model, { spending: { ...limits({}), owner }, tools });
    const talk = new Talk(test);
    const number = limitId(`tokens/person/${talk.account}/u1`);
    for (const text of ["look", "continue"]) {
      await talk.say(text, "queue", "owner");
      await worker.run(talk.key);
    }
    const texts = await talk.outbox();
    assert.equal(texts.length, 2);
    for (const { markdown, choices } of texts) {
      assert.match(
        markdown,
        new RegExp(`lift the limit for a day: \`/lift ${number}\`\\. .*limits\\.spending\\.owner`),
      );
      assert.deepEqual(choices, [{ id: `lift-${number}`, label: "Lift for a day" }]);
    }
  });

  it("tells each person in a group by name, once, each with a button of their own", async () => {
    const talk = new Talk(test, { kind: "group", conversation: "g1" });
    const worker = await TestWorker.start(test, new ScriptedModel(counting(says("yes"), 100)), {
      spending: limits({ tokensPerDay: 100 }),
    });
    const ask = async (from: string, name: string) => {
      await talk.say("again", "queue", "member", { from, name });
      await worker.run(talk.key);
    };
    for (const round of ["spends", "is told", "is not told again"])
      for (const from of ["u1", "u2"]) await ask(from, `${from}\`**${round}**`);
    const told = (await talk.outbox()).filter(({ kind }) => kind === "notice");
    assert.deepEqual(
      told.map(({ markdown, choices }) => [markdown.split(" Please")[0], choices?.[0]?.id]),
      ["u1", "u2"].map((from) => [
        `\`${from} **is told**\`, you've reached your daily limit of tokens.`,
        `lift-${limitId(`tokens/person/${talk.account}/${from}`)}-here`,
      ]),
    );
  });

  it("tells owners where they are told of a limit in a group: a member's own, and a shared one whoever reaches it", async () => {
    const boss = new Talk(test, { from: "boss", conversation: "b2" });
    await boss.isHome();
    const day = { ...off, tokensPerDay: 100 };
    const reach = async (role: "owner" | "member" | "guest", scope: "person" | "conversation") => {
      const talk = new Talk(test, { kind: "group", conversation: "g2" });
      const spending =
        scope === "person" ? { ...limits(day), guest: day, owner: day } : { ...limits({}), conversation: day };
      const worker = await TestWorker.start(test, new ScriptedModel(counting(says("yes"), 200)), { spending });
      for (const text of ["one", "two", "three"]) {
        await talk.say(text, "queue", role);
        await worker.run(talk.key);
      }
      return (await boss.outbox()).filter(({ markdown }) => markdown.includes(talk.account));
    };
    const [told, ...more] = await reach("member", "person");
    assert.match(
      told?.markdown ?? "",
      /can't go on in `g2` on `[^`]+`: the daily limit of tokens for `[^`]+` \(`u1`\)/,
    );
    assert.deepEqual([told?.choices?.length, more], [1, []]);
    const [shared, ...others] = await reach("guest", "conversation");
    assert.match(shared?.markdown ?? "", /: the daily limit of tokens for conversation `g2`/);
    assert.deepEqual(others, []);
    assert.deepEqual(await reach("guest", "person"), [], "a guest's own limit is no news");
    assert.deepEqual(await reach("owner", "conversation"), [], "an owner has read it in the group");
  });

  it("tells owners where they are asked what stops a member in private, and puts no button there", async () => {
    const [talk, boss] = [new Talk(test), new Talk(test, { from: "boss", conversation: "b1" })];
    await boss.isHome();
    const worker = await TestWorker.start(test, new ScriptedModel(counting(says("yes"), 100)), {
      spending: limits({ tokensPerDay: 100 }),
    });
    for (const text of ["one", "two", "three"]) {
      await talk.say(text);
      await worker.run(talk.key);
    }
    const number = limitId(`tokens/person/${talk.account}/u1`);
    const [, refusal, ...more] = await talk.outbox();
    assert.deepEqual([refusal?.choices, more], [undefined, []]);
    const told = (await boss.outbox()).filter(({ markdown }) => markdown.includes(talk.account));
    assert.equal(told.length, 1);
    assert.match(
      told[0]?.markdown ?? "",
      /^`[^`]+` can't go on in a direct conversation on `[^`]+`: the daily limit of tokens for `[^`]+` \(`u1`\) on account .* is reached\. It goes on in 24 hours/,
    );
    assert.deepEqual(told[0]?.choices, [{ id: `lift-${number}`, label: "Lift for a day" }]);
  });
});
