import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ModelEvent } from "@talaria/agent";
import {
  calls,
  createTestStore,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
  type TestWorkerOptions,
  tool,
} from "./worker.fixture.ts";

interface Limit {
  readonly ends: RegExp;
  readonly limits: TestWorkerOptions;
  /** What the model does until it is told that the limit is reached. */
  readonly does: readonly ModelEvent[];
  readonly looks?: () => Promise<string>;
}

/** Longer than what is said between calls and left out of the reply. */
const explained = "I look. ".repeat(100).trim();

const limits: Readonly<Record<string, Limit>> = {
  "the limit of steps": { ends: /limit of steps.*Say "continue"/, limits: { maxSteps: 2 }, does: calls("look") },
  "the limit of length": {
    ends: /length limit\. Say "continue"/,
    limits: { maxOutputChars: explained.length },
    does: calls("look").map((event) =>
      event.type === "done" ? { ...event, message: { ...event.message, content: explained } } : event,
    ),
  },
  "the time limit": {
    ends: /took too long\. Say "continue"/,
    limits: { timeoutMs: 50 },
    does: calls("look"),
    looks: () => new Promise(() => {}),
  },
  "the same calls": { ends: /doing the same/, limits: {}, does: calls("look") },
  "the same failure": {
    ends: /kept failing/,
    limits: {},
    does: calls("look"),
    looks: () => Promise.reject(new Error("no")),
  },
};

describe("a turn that ended with", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  for (const [name, { ends, limits: given, does, looks = async () => "nothing" }] of Object.entries(limits))
    it(`${name} goes on when it is told to`, async () => {
      let isOver = false;
      const model = new ScriptedModel(async function* (request) {
        if (isOver) yield* says("Here is the third.");
        else yield* request.toolChoice === "none" ? says("Found two of three.") : does;
      });
      const tools = [tool("look", looks)];
      const limited = await TestWorker.start(test, model, { ...given, tools });
      const talk = new Talk(test, { kind: "group" });
      await talk.say("find three");
      await limited.run(talk.key);
      isOver = true;
      await talk.say("continue");
      await (await TestWorker.start(test, model, { tools })).run(talk.key);
      const [first = "", second, ...more] = await talk.texts();
      assert.match(first, /(^|\n\n)Found two of three\.\n\nI stopped /);
      assert.match(first, ends);
      assert.deepEqual(limited.finished, ["failed"]);
      assert.deepEqual([second, more], ["Here is the third.", []]);
      const shown = JSON.stringify(model.requests.at(-1)?.messages);
      for (const known of ["find three", "look", "Found two of three.", "continue"])
        assert.ok(shown.includes(known), known);
    });
});
