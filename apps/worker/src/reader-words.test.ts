import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { addLanguage } from "@talaria/words";
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

const off = { turnsPerMinute: "off", tokensPerDay: "off" } as const;

describe("what people read whom a worker answers", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());
  addLanguage("tlh", {
    workLines: { using: (name) => `${name} vIlo'`, waiting: "jIloS" },
    turnFailures: { auth: "vIjangbe'" },
    turnNotices: { ownersRemedy: "yIlegh", spent: (_limit, endsInMs) => `yImev ${endsInMs > 0}` },
  });

  const ownersWords =
    /^I can't answer right now: my access to the language model was refused\. As an owner, run `talaria status`/;

  for (const [where, language, kind, expected] of [
    ["is in the language of whoever is alone with it", "tlh", "direct", [/^vIjangbe' yIlegh$/]],
    ["is English for whose language is not there", "sv", "direct", [ownersWords]],
    ["is English in a group", "tlh", "group", [ownersWords]],
  ] as const)
    it(`${where}, when a model fails`, async () => {
      const talk = new Talk(test, { kind });
      const error = { kind: "auth", message: "refused", visible: false } as const;
      const worker = await TestWorker.start(test, new ScriptedModel([{ type: "failed", error }]));
      await talk.say("hello", "queue", "owner", { language });
      await worker.run(talk.key);
      const texts = await talk.texts();
      assert.equal(texts.length, expected.length);
      for (const [n, text] of texts.entries()) assert.match(text, expected[n] ?? /nothing/);
    });

  it("is theirs in what shows while it works, and that it waits", async () => {
    const talk = new Talk(test);
    const verdict = {
      decision: "ask",
      rule: "r",
      shown: "Deploy?",
      approver: "owner",
      expiresAt: instantOf(Date.now() + 60_000),
    } as const;
    const tools = [tool("deploy", async () => "done"), tool("look", async () => "seen")];
    const authorise: AuthoriseWith = ({ call }) =>
      call.name === "deploy" ? verdict : { decision: "allow", rule: "r" };
    const model = new ScriptedModel(calls("look"), calls("deploy"));
    const worker = await TestWorker.start(test, model, { tools, authorise });
    await talk.say("hello", "queue", "owner", { language: "tlh" });
    await worker.run(talk.key);
    const labels = worker.frames.flatMap((frame) => ("label" in frame ? [frame.label] : []));
    assert.ok(labels.includes("look vIlo'"), labels.join());
    assert.equal(labels.at(-1), "jIloS");
  });

  it("has somebody else tell the operator when a model fails", async () => {
    const talk = new Talk(test);
    const error = { kind: "auth", message: "refused", visible: false } as const;
    const worker = await TestWorker.start(test, new ScriptedModel([{ type: "failed", error }]));
    await talk.say("hello", "queue", "member");
    await worker.run(talk.key);
    const [text] = await talk.texts();
    assert.match(text ?? "", /was refused\. Please tell the person who runs me\.$/);
  });

  it("is theirs when a limit is reached", async () => {
    const person = { ...off, turnsPerMinute: 1 };
    const worker = await TestWorker.start(test, new ScriptedModel(says("yes")), {
      spending: { person, guest: off, conversation: off, account: off },
    });
    const talk = new Talk(test);
    for (const text of ["one", "two"]) {
      await talk.say(text, "queue", "member", { language: "tlh" });
      await worker.run(talk.key);
    }
    assert.deepEqual(await talk.texts(), ["yes", "yImev true"]);
  });
});
