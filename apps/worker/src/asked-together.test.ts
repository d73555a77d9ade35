import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import type { AuthoriseWith } from "./authorise.ts";
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

describe("calls of one answer that need an approval", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  /** An answer with these calls, by the role that decides about each; "" runs without being asked about. */
  async function answered(approvers: readonly ("owner" | "member" | "")[], shown = "Deploy?") {
    const talk = new Talk(test);
    const ran: string[] = [];
    const authorise: AuthoriseWith = ({ tool: { name } }) => {
      const expiresAt = instantOf(Date.now() + 3_600_000);
      if (name !== "owner" && name !== "member") return { decision: "allow" };
      return { decision: "ask", rule: "test", shown, approver: name, expiresAt };
    };
    const calls = approvers.map((approver, n) => ({ callId: `c${n}`, name: approver || "free", arguments: "{}" }));
    const model = new ScriptedModel([done("", calls)], says("Done."));
    const run = async () => `deployed ${ran.push("deploy")}`;
    const options = { tools: ["owner", "member", "free"].map((name) => tool(name, run)), authorise };
    const worker = await TestWorker.start(test, model, options);
    await talk.say("deploy");
    await worker.run(talk.key);
    const questions = (await talk.outbox()).filter(({ deliveryKey }) => deliveryKey.startsWith("ask:"));
    return { talk, worker, ran, questions, other: () => TestWorker.start(test, model, options) };
  }

  it("are asked about in one message, with what runs anyway in between", async () => {
    const { questions, ran, talk } = await answered(["member", "", "member", "member"]);
    assert.equal(questions.length, 1);
    const [{ markdown, choices = [] } = { markdown: "" }] = questions;
    assert.match(markdown, /^\*\*May I do these 3 things\?\*\*/);
    const waiting = await test.store.calls.waiting(talk.key);
    assert.deepEqual(
      choices.slice(0, 6).map(({ id }) => id),
      waiting.flatMap(({ id }) => [`approve-${id}`, `deny-${id}`]),
    );
    assert.deepEqual(ran, ["deploy"]);
  });

  it("are asked about apart where different people decide, or a message doesn't hold them", async () => {
    const apart = await answered(["member", "owner", "member", "owner", "member"]);
    assert.deepEqual(
      apart.questions.map(({ markdown }) => /^\*\*May I do (.*)\?/.exec(markdown)?.[1]),
      ["these 3 things", "these 2 things"],
    );
    const long = await answered(["member", "member", "member"], "word ".repeat(150));
    assert.deepEqual(
      long.questions.map(({ markdown }) => /^\*\*May I do (.*)\?/.exec(markdown)?.[1]),
      ["this", "this", "this"],
    );
  });

  it("keep their places and buttons in a worker that comes after one that died, and each runs once", async () => {
    const { talk, worker, ran, questions, other } = await answered(["member", "member", "member"]);
    const waiting = await test.store.calls.waiting(talk.key);
    await talk.decide("approved", waiting[1]?.id);
    await test.store.processes.retire(worker.id);
    const next = await other();
    await next.run(talk.key);
    assert.deepEqual(ran, ["deploy"]);
    await talk.decide("denied", waiting[0]?.id);
    await talk.decide("approved", waiting[2]?.id);
    await next.run(talk.key);
    const asked = (await talk.outbox()).filter(({ deliveryKey }) => deliveryKey.startsWith("ask:"));
    assert.deepEqual(
      asked,
      questions.map((row, n) => ({ ...row, committedAt: asked[n]?.committedAt })),
    );
    assert.deepEqual(ran, ["deploy", "deploy"]);
    assert.equal((await talk.texts()).at(-1), "Done.");
  });
});
