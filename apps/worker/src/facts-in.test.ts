import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { defineTool, type ModelEvent } from "@talaria/agent";
import { silentLog } from "@talaria/protocol";
import { createToolsets } from "@talaria/tools";
import { z } from "zod";
import { createFirstFacts } from "./first-facts.ts";
import {
  type Answer,
  createTestStore,
  done,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
} from "./worker.fixture.ts";

const place = { conversation: { kind: "direct", platform: "telegram" }, role: "owner" } as const;
const read = defineTool({
  name: "read",
  description: "reads",
  effect: "read",
  permissions: ["clock"],
  input: z.strictObject({ page: z.int() }),
  execute: async ({ page }) => ({ content: `page ${page}` }),
});
const tools = [...createToolsets({ workspace: false, facts: true })(place), read];

let made = 0;
function does(name: string, input: object = {}): readonly ModelEvent[] {
  made += 1;
  return [done("", [{ callId: `c${made}`, name, arguments: JSON.stringify(input) }])];
}
/** Words that stay until everything is summed up. */
const thinksAndReads = (n: number): readonly ModelEvent[] => [
  done(`Thought ${n}: ${"long ".repeat(900)}`, [
    { callId: `r${n}`, name: "read", arguments: JSON.stringify({ page: n }) },
  ]),
];
const adds = (text: string) => does("memory", { action: "add", text });

describe("what a conversation that goes on knows of what is kept", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  async function talkOf(...answers: readonly Answer[]) {
    const talk = new Talk(test, { kind: "direct", from: "ada" });
    const model = new ScriptedModel(...answers);
    const firstFacts = createFirstFacts({ facts: test.store.facts, log: silentLog });
    const options = { tools, firstFacts, windowTokens: 4_500, maxToolOutputChars: 20_000 };
    const soon = await TestWorker.start(test, model, options);
    // Any pause is longer.
    const late = await TestWorker.start(test, model, { ...options, cacheMs: -1 });
    const say = async (text: string, worker = soon) => {
      await talk.say(text);
      await worker.run(talk.key);
    };
    const systems = () => model.requests.map(({ system }) => system);
    const usesOf = async () =>
      (await test.store.facts.of({ scope: "person", key: `${talk.account}/ada` })).facts.map(({ uses }) => uses);
    return { talk, say, late, systems, usesOf };
  }

  it("stays as it was while the provider may still have it, and is new after a longer pause", async () => {
    const { talk, say, late, systems, usesOf } = await talkOf(
      ...[adds("likes tables"), says("Ok."), says("Hm."), says("Later."), says("Again.")],
      says("New."),
    );
    await say("I like tables");
    await say("and now?");
    assert.deepEqual(systems(), ["be kind", "be kind", "be kind"]);
    await say("after a break", late);
    const renewed = systems().at(-1) ?? "";
    assert.match(renewed, /^be kind\n\n# What you remember\n[\s\S]*likes tables/);
    await say("at once");
    assert.equal(systems().at(-1), renewed, "kept for whoever has the conversation next");
    assert.deepEqual(await usesOf(), [0], "it has not begun with it");
    await talk.control("reset");
    await say("from the start");
    assert.equal(systems().at(-1), renewed);
    assert.deepEqual(await usesOf(), [1]);
  });

  it("is new where somebody has it shortened", async () => {
    const { talk, say, systems } = await talkOf(adds("likes tables"), says("Ok."), says("Short."));
    await say("I like tables");
    assert.ok(await talk.control("compact"));
    await say("go on");
    assert.match(systems().at(-1) ?? "", /likes tables/);
  });

  it("is new with the first request after it was shortened in the middle of a turn", async () => {
    const { say, systems } = await talkOf(
      ...[adds("likes tables"), ...[1, 2, 3, 4, 5, 6, 7].map(thinksAndReads)],
      ...[says("Done."), says("Again.")],
    );
    await say("I like tables, and read all that");
    const first = systems().findIndex((system) => system !== "be kind");
    assert.ok(first > 1, `${first}`);
    assert.match(systems()[first] ?? "", /likes tables/);
    assert.equal(new Set(systems().slice(first)).size, 1, "no request changes it without need");
    await say("and now?");
    assert.equal(systems().at(-1), systems()[first]);
  });

  it("is nothing where memory is off, whatever a prompt has begun with", async () => {
    const { talk, say, late, systems } = await talkOf(adds("likes tables"), says("Ok."), says("Known."));
    await say("I like tables");
    await say("after a break", late);
    assert.match(systems().at(-1) ?? "", /likes tables/);
    const model = new ScriptedModel(says("Nothing."));
    const off = await TestWorker.start(test, model, { tools });
    await talk.say("and without memory?");
    await off.run(talk.key);
    assert.deepEqual(
      model.requests.map(({ system }) => system),
      ["be kind"],
    );
  });
});
