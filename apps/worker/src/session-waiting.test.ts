import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import type { BusyMode } from "@talaria/store";
import type { AuthoriseWith } from "./authorise.ts";
import {
  calls,
  createTestStore,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
  tool,
} from "./worker.fixture.ts";

const hourMs = 3_600_000;

function askOf(endsInMs: number) {
  const expiresAt = instantOf(Date.now() + endsInMs);
  return { decision: "ask", rule: "test", shown: "Deploy the blue one?", approver: "owner", expiresAt } as const;
}

function asks(endsInMs = hourMs): AuthoriseWith {
  return () => askOf(endsInMs);
}

const deployTerms = {
  tool: "deploy",
  patterns: [{ permission: "spend", target: "blue", isOutward: false }],
  place: "direct",
  role: "member",
  isTainted: false,
};

describe("a turn that waits for an approval", () => {
  let test: TestStore;

  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  async function isStranded(talk: Talk): Promise<boolean> {
    const { sessions } = await test.store.turns.stranded();
    return sessions.some(({ sessionKey }) => sessionKey === talk.key);
  }

  async function asked(model: ScriptedModel, run: () => Promise<string>, authorise = asks(), mode?: BusyMode) {
    const talk = new Talk(test);
    const options = { tools: [tool("deploy", run)], authorise };
    const worker = await TestWorker.start(test, model, options);
    await talk.say("deploy", mode);
    await worker.run(talk.key);
    return { talk, worker, other: () => TestWorker.start(test, model, options) };
  }

  it("asks people, holds nothing, and is no work for anybody", async () => {
    const model = new ScriptedModel(calls("deploy"), says("never"));
    const { talk, worker } = await asked(model, async () => assert.fail("it ran"));
    const [ask] = await talk.outbox();
    assert.match(
      ask?.markdown ?? "",
      /Deploy the blue one\?[\s\S]*Only an owner can decide this, within 60 minutes, and I could ask nobody\..*\/approve [0-9a-f]{8}/,
    );
    const [call] = await test.store.calls.waiting(talk.key);
    assert.deepEqual(
      ask?.choices?.map(({ id }) => id),
      [`deny-${call?.id}`],
    );
    assert.deepEqual(worker.finished, ["suspended"]);
    assert.equal((await test.store.operations.backlog()).suspendedTurns, 1);
    assert.deepEqual(await test.store.operations.stuck(0, 10), []);
    assert.equal(worker.running.size, 0);
    assert.equal(await isStranded(talk), false);
    await worker.run(talk.key);
    assert.deepEqual([model.requests.length, worker.finished.length], [1, 1], "a wake-up without news changes nothing");
  });

  it("waits also where messages interrupt, and this was the first one", async () => {
    const model = new ScriptedModel(calls("deploy"), says("Deployed."));
    const { talk, worker } = await asked(model, async () => "deployed", asks(), "interrupt");
    assert.deepEqual(worker.finished, ["suspended"]);
    assert.equal(await talk.decide("approved"), true);
    await worker.run(talk.key);
    assert.equal((await talk.texts()).at(-1), "Deployed.");
  });

  it("goes on in any worker once it is approved, and runs the call once", async () => {
    const ran: string[] = [];
    const model = new ScriptedModel(calls("deploy"), says("Deployed."));
    const { talk, worker, other } = await asked(model, async () => `deployed ${ran.push("deploy")}`);
    await test.store.processes.retire(worker.id);
    const [call] = await test.store.calls.waiting(talk.key);
    assert.equal(await talk.decide("approved"), true);
    assert.equal(await talk.decide("approved", call?.id), false, "twice is once");
    assert.equal(await talk.decide("denied", call?.id), false);
    await (await other()).run(talk.key);
    assert.deepEqual(ran, ["deploy"]);
    assert.equal((await talk.texts()).at(-1), "Deployed.");
    assert.equal(await isStranded(talk), false);
  });

  it("runs further calls at once that were agreed to, in this turn and in later ones", async () => {
    const ran: string[] = [];
    const deploys = [calls("deploy"), calls("deploy"), says("Twice."), calls("deploy"), says("Thrice.")];
    const offer = { scopes: ["session"], covers: "deploy", terms: deployTerms } as const;
    const { talk, worker } = await asked(
      new ScriptedModel(...deploys),
      async () => `deployed ${ran.push("deploy")}`,
      (_, { grants }) => (grants.length > 0 ? { decision: "allow" } : { ...askOf(hourMs), offer }),
    );
    const [question] = await talk.outbox();
    assert.deepEqual(
      question?.choices?.map(({ label }) => label),
      ["Take it back"],
    );
    await talk.decide("approved", undefined, "session");
    await worker.run(talk.key);
    assert.deepEqual([ran.length, (await talk.texts()).at(-1)], [2, "Twice."]);
    await talk.say("once more");
    await worker.run(talk.key);
    assert.deepEqual([ran.length, (await talk.texts()).at(-1)], [3, "Thrice."]);
  });

  it("asks again where this release can't read what was agreed to", async () => {
    const offer = { scopes: ["session"], covers: "deploy", terms: { of: "another release" } } as const;
    const { talk, worker } = await asked(
      new ScriptedModel(calls("deploy"), calls("deploy"), says("never")),
      async () => "deployed",
      (_, { grants }) => (grants.length > 0 ? { decision: "allow" } : { ...askOf(hourMs), offer }),
    );
    await talk.decide("approved", undefined, "session");
    await worker.run(talk.key);
    assert.equal((await test.store.calls.waiting(talk.key)).length, 1);
  });

  it("is asked anew by /retry: one approval runs one call", async () => {
    const ran: string[] = [];
    const model = new ScriptedModel(calls("deploy"), says("Deployed."), calls("deploy"), says("never"));
    const { talk, worker } = await asked(model, async () => `deployed ${ran.push("deploy")}`);
    await talk.decide("approved");
    await worker.run(talk.key);
    assert.equal(await talk.control("retry"), true);
    await worker.run(talk.key);
    assert.deepEqual([model.requests.length, ran], [3, ["deploy"]]);
    assert.equal((await test.store.calls.waiting(talk.key)).length, 1);
  });

  it("has nothing to retry in a turn that a decision began", async () => {
    const model = new ScriptedModel(calls("deploy"), says("I wait."), says("Still waiting."), says("Done."));
    const { talk, worker } = await asked(model, async () => "deployed");
    await talk.say("how long?");
    await worker.run(talk.key);
    await talk.decide("approved");
    await worker.run(talk.key);
    assert.equal((await talk.texts()).at(-1), "Done.");
    assert.equal(await talk.control("retry"), false);
  });

  it("is suspended by another worker when one dies between the question and that, and nobody is asked again", async () => {
    const ran: string[] = [];
    const model = new ScriptedModel(calls("deploy"), says("Deployed."));
    const options = { tools: [tool("deploy", async () => `deployed ${ran.push("deploy")}`)], authorise: asks() };
    const killed = async () => {
      throw new Error("kill -9");
    };
    const turns = { ...test.store.turns, suspend: killed, fail: killed };
    const talk = new Talk(test);
    const first = await TestWorker.start({ ...test, store: { ...test.store, turns } }, model, options);
    await talk.say("deploy");
    await assert.rejects(first.run(talk.key), /kill -9/);
    await test.store.processes.retire(first.id);
    const before = await test.store.calls.waiting(talk.key);
    assert.equal(await isStranded(talk), true, "somebody has to suspend it");
    const other = await TestWorker.start(test, model, options);
    await other.run(talk.key);
    assert.deepEqual(other.finished, ["suspended"]);
    assert.equal(await isStranded(talk), false);
    assert.deepEqual(await test.store.calls.waiting(talk.key), before);
    assert.deepEqual([before.length, (await talk.outbox()).length, model.requests.length], [1, 1, 1]);
    await talk.decide("approved", before[0]?.id);
    await other.run(talk.key);
    assert.deepEqual([ran, (await talk.texts()).at(-1)], [["deploy"], "Deployed."]);
  });

  it("is found by the sweep when the wake-up was lost", async () => {
    const model = new ScriptedModel(calls("deploy"), says("No."));
    const { talk, worker } = await asked(model, async () => assert.fail("it ran"));
    await talk.decide("denied");
    const until = Date.now() + 20_000;
    while (!(await isStranded(talk)) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await isStranded(talk), true);
    await worker.run(talk.key);
    assert.equal((await talk.texts()).at(-1), "No.");
  });

  for (const mode of ["queue", "steer"] as const)
    it(`answers people who write meanwhile (${mode}), and runs later in a turn of its own`, async () => {
      const ran: string[] = [];
      const model = new ScriptedModel(
        calls("deploy"),
        says("I wait for an owner."),
        says("Still waiting."),
        says("Done."),
      );
      const { talk, worker } = await asked(model, async () => `deployed ${ran.push("deploy")}`);
      await talk.say("how long?", mode);
      await worker.run(talk.key);
      const texts = (await talk.texts()).slice(1);
      assert.deepEqual(texts, mode === "steer" ? ["I wait for an owner."] : ["I wait for an owner.", "Still waiting."]);
      assert.deepEqual(ran, []);
      await talk.decide("approved");
      await worker.run(talk.key);
      assert.deepEqual(ran, ["deploy"]);
      assert.match(
        model.requests.at(-1)?.messages.at(-1)?.content ?? "",
        /<note>.*<\/note>\n<untrusted>\ndeployed 1\n<\/untrusted>$/s,
      );
    });

  it("can't be approved any more once somebody has written over its turn", async () => {
    const model = new ScriptedModel(calls("deploy"), says("As you like."));
    const { talk, worker } = await asked(model, async () => assert.fail("it ran"));
    await talk.say("never mind", "interrupt");
    assert.equal(await talk.decide("approved"), false);
    await worker.run(talk.key);
    assert.equal((await talk.texts()).at(-1), "As you like.");
    assert.deepEqual(await test.store.calls.waiting(talk.key), []);
  });

  it("doesn't run when somebody writes over its turn between the approval and that", async () => {
    const ran: string[] = [];
    const model = new ScriptedModel(calls("deploy"), says("As you like."));
    const { talk, worker } = await asked(model, async () => `deployed ${ran.push("deploy")}`);
    assert.equal(await talk.decide("approved"), true);
    await talk.say("never mind", "interrupt");
    await worker.run(talk.key);
    assert.equal((await talk.texts()).at(-1), "As you like.");
    assert.deepEqual(ran, []);
    const results = model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => content);
    assert.deepEqual(results, ["Cancelled."]);
  });

  it("is cancelled with a session that is given up", async () => {
    const model = new ScriptedModel(calls("deploy"));
    const killed = async () => {
      throw new Error("kill -9");
    };
    const turns = { ...test.store.turns, suspend: killed, fail: killed };
    const talk = new Talk(test);
    const options = { tools: [tool("deploy", async () => "never")], authorise: asks() };
    const dying = await TestWorker.start({ ...test, store: { ...test.store, turns } }, model, options);
    await talk.say("deploy");
    await assert.rejects(dying.run(talk.key), /kill -9/);
    await test.store.processes.retire(dying.id);
    const limits = { historyEntries: 10, historyBytes: 100_000, pendingEvents: 10, givenUpMarkdown: "Given up." };
    const other = await TestWorker.start(test, model, options);
    for (let failures = 0; failures < 3; failures += 1) {
      const claim = await test.store.turns.claim(talk.key, other.id, limits);
      if (claim !== undefined) await test.store.turns.fail(claim.lease);
    }
    assert.equal(await test.store.turns.claim(talk.key, other.id, limits), undefined);
    assert.equal((await talk.texts()).at(-1), "Given up.");
    assert.deepEqual(await test.store.calls.waiting(talk.key), []);
  });

  it("is told to people as taken up again where a worker died, and not where somebody was asked", async () => {
    const killed = async () => {
      throw new Error("kill -9");
    };
    const options = { tools: [tool("deploy", async () => "done")], authorise: asks() };
    const labels = ({ frames }: TestWorker) =>
      frames.flatMap((frame) => (frame.type === "status" ? [frame.label] : []));
    const again = "picking up what was interrupted";
    const talk = new Talk(test);
    const model = new ScriptedModel(calls("deploy"), says("Deployed."));
    const turns = { ...test.store.turns, suspend: killed, fail: killed };
    const dying = await TestWorker.start({ ...test, store: { ...test.store, turns } }, model, options);
    await talk.say("deploy");
    await assert.rejects(dying.run(talk.key), /kill -9/);
    assert.equal(labels(dying).includes(again), false);
    await test.store.processes.retire(dying.id);
    const other = await TestWorker.start(test, model, options);
    await other.run(talk.key);
    assert.equal(labels(other).includes(again), true);
    const calm = await asked(new ScriptedModel(calls("deploy"), says("Deployed.")), async () => "done");
    await calm.talk.decide("approved");
    await calm.worker.run(calm.talk.key);
    assert.equal((await calm.talk.texts()).at(-1), "Deployed.");
    assert.equal(labels(calm.worker).includes(again), false);
  });

  it("ends with /stop, and nothing can be decided any more", async () => {
    const model = new ScriptedModel(calls("deploy"), says("never"));
    const { talk, worker } = await asked(model, async () => assert.fail("it ran"));
    const [call] = await test.store.calls.waiting(talk.key);
    await talk.control("stop");
    assert.equal(await isStranded(talk), true, "somebody has to end it");
    assert.equal(await talk.decide("approved", call?.id), false);
    await worker.run(talk.key);
    assert.equal(await isStranded(talk), false);
    assert.equal((await test.store.calls.find(call?.id ?? ""))?.settlement, "cancelled");
    await talk.say("again");
    await worker.run(talk.key);
    const results = model.requests[1]?.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    assert.deepEqual(results, ["Cancelled."]);
  });

  it("expires: nobody can approve it then, and the turn goes on without it", async () => {
    const model = new ScriptedModel(calls("deploy"), says("Nobody decided."));
    const { talk, worker } = await asked(model, async () => assert.fail("it ran"), asks(-1_000));
    assert.equal(await talk.decide("approved"), false);
    const overdue = (await test.store.calls.overdue()).filter(({ sessionKey }) => sessionKey === talk.key);
    assert.equal(overdue.length, 1);
    const expired = { id: overdue[0]?.id ?? "", sessionKey: talk.key, settlement: "expired" } as const;
    assert.equal(await test.store.calls.settle(expired), true);
    assert.equal(await test.store.calls.settle(expired), false);
    await worker.run(talk.key);
    assert.equal((await talk.texts()).at(-1), "Nobody decided.");
  });
});
