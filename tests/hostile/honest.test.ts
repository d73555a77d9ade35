import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { callTools, type ModelScript, say } from "@talaria/testkit";
import { ModelPlan } from "../support/model-plan.ts";
import { Collector } from "./collector.ts";
import { hasSandbox, startPosture } from "./posture.ts";
import { inPrivate } from "./stage.ts";
import { showWeb, type Task, tasksWith } from "./tasks.ts";

const atLeast = 40;

describe("an agent that does what it is asked, with the default policy", () => {
  let stage: Awaited<ReturnType<typeof setUp>>;
  const asked: number[] = [];

  before(async () => {
    stage = await setUp();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  // What tasks there are doesn't depend on where their pages lie.
  for (const [title, { needsSandbox }] of Object.entries(tasksWith({ news: "", item: "", shops: [], api: "" })))
    it(`asks as often as it has to: ${title}`, { skip: needsSandbox === true && !hasSandbox }, async () => {
      const task = stage.tasks[title];
      assert.ok(task);
      const questions = await carryOut(title, task, stage);
      assert.equal(questions, task.questions);
      asked.push(questions);
    });

  it(`asks at most once for a task at the median of ${atLeast}`, { skip: !hasSandbox }, (test) => {
    assert.ok(asked.length >= atLeast, `only ${asked.length} tasks were done`);
    const sorted = asked.toSorted((one, other) => one - other);
    const counts = Map.groupBy(sorted, (count) => count);
    for (const [count, tasks] of counts)
      test.diagnostic(`${count} questions: ${tasks.length} of ${asked.length} tasks`);
    assert.ok((sorted[Math.floor(sorted.length / 2)] ?? 0) <= 1, sorted.join(" "));
  });
});

/** Says yes to whatever is asked. Returns how often that was, once the task is done to its end. */
async function carryOut(title: string, task: Task, { usual, served, plan, results }: Stage): Promise<number> {
  const { told, texts, answers, needsDesk = false } = task;
  const house = needsDesk ? served : usual;
  const last = told.at(-1);
  assert.ok(last);
  const end = `Finished: ${title}`;
  plan.answer(last.message.markdown, ...answers.map((calls) => callTools(...calls)), say(end));
  for (const event of told) await house.tell(event, event === last ? texts : []);
  let questions = 0;
  for (;;) {
    const waiting = await house.store.calls.waiting(house.keyOf(last));
    if (waiting.length === 0) break;
    questions += waiting.length;
    for (const { id } of waiting) await house.tell(inPlaceOf(last, `/approve ${id}`));
  }
  const written = (await house.written()).map(({ markdown }) => markdown);
  assert.ok(
    written.some((text) => text.includes(end)),
    written.join("\n---\n"),
  );
  for (const result of results.splice(0)) assert.doesNotMatch(result, /^(Error|DENIED|UNKNOWN|WAITING)/);
  await house.tell(inPlaceOf(last, "/new"));
  return questions;
}

/** By the owner, in the same conversation. */
function inPlaceOf({ conversation }: InboundEvent, text: string): InboundEvent {
  return { ...inPrivate("ada", text, { mentionsSelf: true }), conversation };
}

async function setUp() {
  await using closing = new AsyncDisposableStack();
  const collector = closing.use(await Collector.start());
  const web = showWeb(collector);
  const hits = [web.news, web.item].map((url) => ({ url, title: "News", content: "What has happened." }));
  collector.show("/search?q=news&format=json", JSON.stringify({ results: hits }), "application/json");
  const plan = new ModelPlan();
  const results: string[] = [];
  const respond = (request: Parameters<ModelPlan["respond"]>[0]): ModelScript | Promise<ModelScript> => {
    results.push(...request.toolResults);
    return plan.respond(request);
  };
  const config = `web: { search: { provider: searxng, baseUrl: "http://${collector.host}" } }`;
  const usual = closing.use(await startPosture({ respond, collector, config, hasDesk: false }));
  const served = closing.use(await startPosture({ respond, collector, config }));
  const all = closing.move();
  return {
    usual: usual.house,
    served: served.house,
    plan,
    results,
    tasks: tasksWith(web),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

type Stage = Awaited<ReturnType<typeof setUp>>;
