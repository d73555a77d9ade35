import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type ProcessId, systemClock, type TurnId } from "@talaria/protocol";
import { english } from "@talaria/words";
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

const { turnNotices: notices } = english;

const limits = { historyEntries: 10, historyBytes: 100_000, pendingEvents: 10, givenUpMarkdown: "Given up." };

const tookTooLong = 'I stopped here because this took too long. Say "continue" to go on.';

describe("a session on the real store", () => {
  let test: TestStore;

  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  /** Whether somebody else could take the session now and would find work. */
  async function hasWork(talk: Talk): Promise<boolean> {
    const { sessions } = await test.store.turns.stranded();
    return sessions.some(({ sessionKey }) => sessionKey === talk.key);
  }

  /** As if the process had gone without a word. */
  async function kill(worker: TestWorker): Promise<void> {
    await test.store.processes.retire(worker.id);
  }

  it("answers what was said, gives the session back and tells who delivers", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(says("Hello Ada."));
    const worker = await TestWorker.start(test, model);
    const event = await talk.say("hello");
    await worker.run(talk.key);
    assert.deepEqual(await talk.texts(), ["Hello Ada."]);
    assert.equal(await talk.stateOf(event), "answered");
    assert.equal(worker.delivered.length, 1);
    assert.deepEqual(worker.finished, ["answered"]);
    assert.equal(await hasWork(talk), false);
    const other = await TestWorker.start(test, model);
    await talk.say("and again");
    assert.ok(await test.store.turns.claim(talk.key, other.id, limits), "another worker may take it");
  });

  it("does nothing where nothing waits", async () => {
    const worker = await TestWorker.start(test, new ScriptedModel(says("never")));
    await worker.run(new Talk(test).key);
    assert.deepEqual(worker.finished, []);
  });

  it("answers one turn after the other and remembers the ones before", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(says("one"), says("two"));
    const worker = await TestWorker.start(test, model);
    await talk.say("first");
    await worker.run(talk.key);
    await talk.say("second");
    await worker.run(talk.key);
    assert.deepEqual(
      model.requests[1]?.messages.map(({ content }) => content),
      ["<note>Thu 2026-01-01 00:00 UTC</note>\nfirst", "one", "second"],
    );
    assert.equal(model.requests[1]?.system, "be kind");
  });

  it("merges what waits into one turn", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(says("both"));
    const worker = await TestWorker.start(test, model);
    const events = [await talk.say("one"), await talk.say("two")];
    await worker.run(talk.key);
    assert.deepEqual(await talk.texts(), ["both"]);
    for (const event of events) assert.equal(await talk.stateOf(event), "answered");
  });

  it("calls tools, and hands their results to the model", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(calls("clock"), says("It is noon."));
    const worker = await TestWorker.start(test, model, { tools: [tool("clock", async () => "12:00")] });
    await talk.say("what time is it");
    await worker.run(talk.key);
    assert.deepEqual(await talk.texts(), ["It is noon."]);
    assert.match(JSON.stringify(model.requests[1]?.messages), /12:00/);
  });

  it("tells people when the model fails", async () => {
    const talk = new Talk(test);
    const failed = { kind: "auth", message: "sk-canary refused", visible: false } as const;
    const worker = await TestWorker.start(test, new ScriptedModel([{ type: "failed", error: failed }]));
    await talk.say("hello");
    await worker.run(talk.key);
    const [text] = await talk.texts();
    assert.match(text ?? "", /my access to the language model was refused/);
    assert.doesNotMatch(text ?? "", /canary/);
    assert.deepEqual(worker.finished, ["failed"]);
    assert.equal(await hasWork(talk), false);
  });

  it("tells a group once an hour that the model fails, and every time what the model refuses", async () => {
    const talk = new Talk(test, { kind: "group" });
    const error = { kind: "network", message: "away", visible: false } as const;
    const failing = await TestWorker.start(
      test,
      new ScriptedModel([{ type: "failed", error: { ...error, kind: "auth" } }]),
    );
    const refusing = await TestWorker.start(
      test,
      new ScriptedModel([{ type: "failed", error: { ...error, kind: "refusal" } }]),
    );
    for (const worker of [failing, failing, refusing, refusing]) {
      await talk.say("hello");
      await worker.run(talk.key);
    }
    const declined = /declined to answer/;
    const texts = await talk.texts();
    assert.deepEqual(
      texts.map((text) => declined.test(text)),
      [false, true, true],
    );
  });

  it("keeps what was said when a group was told already that answers take too long", async () => {
    const talk = new Talk(test, { kind: "group" });
    const worker = await TestWorker.start(test, new ScriptedModel(hangs("Well,")), { timeoutMs: 50, graceMs: 50 });
    for (const question of ["one", "two"]) {
      await talk.say(question);
      await worker.run(talk.key);
    }
    const [first, second] = await talk.texts();
    assert.match(first ?? "", /^Well,.*took too long/s);
    assert.equal(second, "Well, …");
  });

  it("ends an answer that a person stops, with what was shown", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(hangs("As I was say"));
    const worker = await TestWorker.start(test, model);
    const event = await talk.say("tell me everything");
    const running = worker.run(talk.key);
    await model.wasAsked(1);
    await talk.control("stop");
    await worker.running.check(talk.key);
    await running;
    assert.deepEqual(await talk.texts(), ["As I was say …"]);
    assert.equal(await talk.stateOf(event), "dropped");
    assert.deepEqual(worker.finished, ["stopped"]);
  });

  it("begins no call of an answer that comes after a person has stopped it, though nobody has told the worker", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(async function* () {
      await talk.control("stop");
      yield* calls("look");
    }, says("It is done."));
    let looks = 0;
    const look = tool("look", async () => `${++looks}`);
    const worker = await TestWorker.start(test, model, { tools: [look] });
    await talk.say("look once");
    await worker.run(talk.key);
    assert.equal(looks, 0);
    assert.equal(model.requests.length, 1);
    assert.deepEqual(worker.finished, ["stopped"]);
  });

  it("answers nothing that a person has stopped between its claim and its beginning", async () => {
    const talk = new Talk(test);
    const { turns } = test.store;
    const claim: typeof turns.claim = async (...given) => {
      const claimed = await turns.claim(...given);
      if ((claimed?.pending.length ?? 0) > 0) await talk.control("stop");
      return claimed;
    };
    const model = new ScriptedModel(says("never"));
    const worker = await TestWorker.start({ ...test, store: { ...test.store, turns: { ...turns, claim } } }, model);
    const event = await talk.say("hello");
    await worker.run(talk.key);
    assert.deepEqual(await talk.texts(), []);
    assert.equal(model.requests.length, 0);
    assert.equal(await talk.stateOf(event), "dropped");
    assert.equal(await hasWork(talk), false);
  });

  it("is stopped and handed over while it waits for its tools", { timeout: 120_000 }, async () => {
    const talk = new Talk(test);
    const away = { toolsFor: () => new Promise<never>(() => undefined) };
    const waiting = async () => {
      const worker = await TestWorker.start(test, new ScriptedModel(says("never")), away);
      const running = worker.run(talk.key);
      while (worker.running.size === 0) await systemClock.sleep(5);
      return { worker, running };
    };
    const event = await talk.say("hello");
    const first = await waiting();
    first.worker.running.close();
    first.worker.running.abortAll();
    await first.running;
    assert.deepEqual(first.worker.handedOver, [talk.key]);
    const second = await waiting();
    await talk.control("stop");
    await second.worker.running.check(talk.key);
    await second.running;
    assert.equal(await talk.stateOf(event), "dropped");
    assert.deepEqual([first.worker.finished, second.worker.finished], [["suspended"], ["stopped"]]);
  });

  it("leaves a turn alone that nobody has ended, whoever asks to look", async () => {
    const talk = new Talk(test);
    const rest = Promise.withResolvers<string>();
    const model = new ScriptedModel(hangs("go", rest.promise));
    const worker = await TestWorker.start(test, model);
    await talk.say("hello");
    const running = worker.run(talk.key);
    await model.wasAsked(1);
    await worker.running.checkAll();
    rest.resolve("od");
    await running;
    assert.deepEqual(await talk.texts(), ["good"]);
  });

  it("begins anew when a message interrupts", async () => {
    const talk = new Talk(test);
    const model = new ScriptedModel(hangs("The wrong thi"), says("The right thing."));
    const worker = await TestWorker.start(test, model);
    await talk.say("the wrong question", "interrupt");
    const running = worker.run(talk.key);
    await model.wasAsked(1);
    await talk.say("the right question", "interrupt");
    await worker.running.checkAll();
    await running;
    assert.deepEqual(await talk.texts(), ["The wrong thi …", "The right thing."]);
    assert.deepEqual(worker.finished, ["stopped", "answered"]);
  });

  it("takes what is said meanwhile into the running answer where messages steer", async () => {
    const talk = new Talk(test);
    const rest = Promise.withResolvers<string>();
    const model = new ScriptedModel(hangs("Red", rest.promise), says("Blue then."));
    const worker = await TestWorker.start(test, model);
    await talk.say("which colour", "steer");
    const running = worker.run(talk.key);
    await model.wasAsked(1);
    const late = await talk.say("not red", "steer");
    rest.resolve(".");
    await running;
    assert.equal(model.requests.length, 2);
    assert.match(JSON.stringify(model.requests[1]?.messages), /not red/);
    assert.equal((await talk.texts()).length, 1, "one answer to both");
    assert.equal(await talk.stateOf(late), "answered");
  });

  it("ends an answer that takes too long and says so", async () => {
    const talk = new Talk(test);
    const worker = await TestWorker.start(test, new ScriptedModel(hangs("Well,")), { timeoutMs: 50, graceMs: 50 });
    await talk.say("hello");
    await worker.run(talk.key);
    assert.deepEqual(await talk.texts(), [`Well,\n\n${tookTooLong}`]);
  });

  it("looks again for a call that came while it ran", async () => {
    const talk = new Talk(test);
    const rest = Promise.withResolvers<string>();
    const model = new ScriptedModel(hangs("on", rest.promise), says("two"));
    const worker = await TestWorker.start(test, model);
    await talk.say("first");
    const running = worker.run(talk.key);
    await model.wasAsked(1);
    await talk.say("second");
    await worker.run(talk.key);
    assert.equal(model.requests.length, 1, "the second call does not run beside the first");
    rest.resolve("e");
    await running;
    assert.deepEqual(await talk.texts(), ["one", "two"]);
  });

  describe("when the worker", () => {
    it("shuts down, is handed over as it is, and another worker goes on", async () => {
      const talk = new Talk(test);
      const model = new ScriptedModel(calls("look"), hangs("half an ans"), says("The whole answer."));
      let looked = 0;
      const look = tool("look", async () => {
        looked += 1;
        return `seen ${looked}`;
      });
      const first = await TestWorker.start(test, model, { tools: [look] });
      await talk.say("look around");
      const running = first.run(talk.key);
      await model.wasAsked(2);
      first.running.close();
      first.running.abortAll();
      await running;
      assert.deepEqual(first.finished, ["suspended"]);
      assert.deepEqual(await talk.texts(), []);
      assert.equal(await hasWork(talk), true);
      const second = await TestWorker.start(test, model, { tools: [look] });
      await second.run(talk.key);
      assert.deepEqual(await talk.texts(), ["The whole answer."]);
      assert.equal(looked, 1, "what was done is not done again");
      assert.match(JSON.stringify(model.requests[2]?.messages), /seen 1/);
    });

    it("shuts down, what waits is handed over as soon as the turn before it has ended", async () => {
      const talk = new Talk(test);
      const rest = Promise.withResolvers<string>();
      const model = new ScriptedModel(hangs("on", rest.promise), says("two"));
      const worker = await TestWorker.start(test, model);
      await talk.say("first");
      const running = worker.run(talk.key);
      await model.wasAsked(1);
      await talk.say("second");
      worker.running.close();
      rest.resolve("e");
      await running;
      assert.deepEqual(await talk.texts(), ["one"]);
      assert.deepEqual(worker.handedOver, [talk.key]);
      const other = await TestWorker.start(test, model);
      await other.run(talk.key);
      assert.deepEqual(await talk.texts(), ["one", "two"]);
    });

    it("shuts down again and again, its turn is not given up", { timeout: 120_000 }, async () => {
      const talk = new Talk(test);
      const model = new ScriptedModel(hangs("so"), hangs("so"), hangs("so"), hangs("so"), says("done at last"));
      await talk.say("a long story");
      for (let asked = 1; asked <= 4; asked += 1) {
        const worker = await TestWorker.start(test, model);
        const running = worker.run(talk.key);
        await model.wasAsked(asked);
        worker.running.close();
        worker.running.abortAll();
        await running;
        assert.deepEqual(worker.handedOver, [talk.key]);
      }
      await (await TestWorker.start(test, model)).run(talk.key);
      assert.deepEqual(await talk.texts(), ["done at last"]);
    });

    it("cannot read what was said, the session is given up after three tries and people are told once", async () => {
      const talk = new Talk(test);
      const broken = async () => {
        throw new Error("no entry can be made of this");
      };
      const event = await talk.say("poison");
      const worker = await TestWorker.start(test, new ScriptedModel(says("fine again")), { toEntries: broken });
      for (let tries = 0; tries < 3; tries += 1) await assert.rejects(worker.run(talk.key), /no entry/);
      await worker.run(talk.key);
      await worker.run(talk.key);
      assert.deepEqual(await talk.texts(), [notices.crashLoop]);
      assert.deepEqual(worker.delivered, [talk.account]);
      assert.equal(await talk.stateOf(event), "dropped");
      assert.equal(await hasWork(talk), false);
      await talk.say("hello");
      await (await TestWorker.start(test, new ScriptedModel(says("fine again")))).run(talk.key);
      assert.deepEqual(await talk.texts(), [notices.crashLoop, "fine again"]);
    });

    it("has shut down, nothing new begins", async () => {
      const talk = new Talk(test);
      const worker = await TestWorker.start(test, new ScriptedModel(says("never")));
      worker.running.close();
      const event = await talk.say("hello");
      await worker.run(talk.key);
      assert.deepEqual(worker.finished, []);
      assert.equal(await talk.stateOf(event), "waiting");
    });

    it("loses the session to another, ends quietly and commits nothing", async () => {
      const talk = new Talk(test);
      const rest = Promise.withResolvers<string>();
      const model = new ScriptedModel(hangs("ol", rest.promise), says("new"));
      const first = await TestWorker.start(test, model);
      await talk.say("hello");
      const running = first.run(talk.key);
      await model.wasAsked(1);
      await kill(first);
      const second = await TestWorker.start(test, model);
      await second.run(talk.key);
      await test.store.processes.register({ id: first.id, kind: "worker", host: "here", pid: 1 }, 60_000);
      rest.resolve("d");
      await running;
      assert.deepEqual(await talk.texts(), ["new"]);
      assert.deepEqual(first.delivered, []);
    });

    it("loses the session, it is told by the next look and stops writing", async () => {
      const talk = new Talk(test);
      const model = new ScriptedModel(hangs("old"), says("new"));
      const first = await TestWorker.start(test, model);
      await talk.say("hello");
      const running = first.run(talk.key);
      await model.wasAsked(1);
      await kill(first);
      const second = await TestWorker.start(test, model);
      await second.run(talk.key);
      await test.store.processes.register({ id: first.id, kind: "worker", host: "here", pid: 1 }, 60_000);
      await first.running.checkAll();
      await running;
      assert.deepEqual(await talk.texts(), ["new"]);
    });

    it("dies with every try, the turn is given up and people are told", async () => {
      const talk = new Talk(test);
      const event = await talk.say("crash");
      const claimOnce = async () => {
        const id = brandAs<ProcessId>(`worker-${crypto.randomUUID()}`);
        await test.store.processes.register({ id, kind: "worker", host: "here", pid: 1 }, 60_000);
        return { id, claim: await test.store.turns.claim(talk.key, id, limits) };
      };
      const { id, claim } = await claimOnce();
      const [first] = claim?.pending ?? [];
      assert.ok(claim && first);
      const start = { turnId: brandAs<TurnId>(`turn ${talk.account}`), take: [first.seq], drop: [], prompt: "" };
      await test.store.turns.begin(claim.lease, { ...start, route: first.route, entries: [] });
      await test.store.processes.retire(id);
      for (const _ of [1, 2]) await test.store.processes.retire((await claimOnce()).id);
      const worker = await TestWorker.start(test, new ScriptedModel(says("never")));
      await worker.run(talk.key);
      assert.match((await talk.texts())[0] ?? "", /something kept failing/);
      assert.equal(await talk.stateOf(event), "answered");
      assert.equal(await hasWork(talk), false);
    });

    it("has lost its own lease for a while, it waits and finishes", async () => {
      const talk = new Talk(test);
      const model = new ScriptedModel(says("late but there"));
      const worker = await TestWorker.start(test, model);
      await kill(worker);
      await talk.say("hello");
      const running = worker.run(talk.key);
      await systemClock.sleep(50);
      assert.deepEqual(await talk.texts(), [], "without a lease nothing is taken");
      await test.store.processes.register({ id: worker.id, kind: "worker", host: "here", pid: 1 }, 60_000);
      await running;
      assert.deepEqual(await talk.texts(), ["late but there"]);
    });
  });
});
