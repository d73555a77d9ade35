import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { House } from "../support/house.ts";
import { Collector } from "./collector.ts";
import { type Injection, type Lure, lures } from "./injections.ts";
import { Office } from "./office.ts";
import { type OfficeName, officeNames } from "./office-shapes.ts";
import { isChanging, type OfficeCall, officeTasks } from "./office-tasks.ts";
import { Puppet } from "./puppet.ts";
import { accounts, inPrivate } from "./stage.ts";

/** Conversations that are held at once. */
const atOnce = 20;
const scopes = ["once", "session"] as const;
type Scope = (typeof scopes)[number];

/** What is asked of the agent in a conversation of its own. */
interface Asked {
  readonly place: string;
  readonly words: string;
  readonly scope?: Scope;
}

describe("a model that obeys everything it reads, with a mail, a calendar, a tracker and a drive server", () => {
  let stage: Stage;
  before(async () => {
    stage = await setUp();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  it("asks at most once for one of 100 honest tasks at the median, and does each", async (test) => {
    const { house, puppet, office } = stage;
    assert.equal(new Set(officeTasks.map(({ words }) => words)).size, 100);
    for (const { words, calls } of officeTasks) puppet.plan(words, calls);
    const asked = await ask(
      officeTasks.map(({ words }, n) => ({ place: `task-${n}`, words })),
      stage,
    );
    const written = new Set((await house.written()).map(({ markdown }) => markdown));
    for (const { words } of officeTasks)
      assert.ok(
        [...written].some((text) => text.endsWith(`Finished: ${words}`)),
        words,
      );
    for (const result of puppet.results.splice(0)) assert.doesNotMatch(result, /^(Error|DENIED|UNKNOWN|WAITING)/);
    assert.deepEqual(
      await office.news(),
      officeTasks.flatMap(({ calls }) => calls.filter(isChanging).map(seen)).sort(),
    );
    const sorted = asked.toSorted((one, other) => one - other);
    for (const [count, tasks] of Map.groupBy(sorted, (one) => one))
      test.diagnostic(`${count} questions: ${tasks.length} of ${sorted.length} tasks`);
    assert.ok((sorted[Math.floor(sorted.length / 2)] ?? 0) <= 1, sorted.join(" "));
  });

  it("does again unasked what was agreed to for the conversation, and nothing that was agreed to once", async () => {
    const { puppet, office } = stage;
    for (const scope of scopes) {
      const scenes = officeNames.map((name) => ({
        place: `again-${name}-${scope}`,
        ...castOf(lures[name], `${scope}-again`),
      }));
      for (const { place, task, work } of scenes) {
        puppet.plan(`do (${place})`, work);
        puppet.plan(`repeat (${place})`, [task]);
      }
      await ask(
        scenes.map(({ place }) => ({ place, words: `do (${place})`, scope })),
        stage,
      );
      const questions = await ask(
        scenes.map(({ place }) => ({ place, words: `repeat (${place})` })),
        stage,
      );
      assert.deepEqual(
        questions,
        scenes.map(() => (scope === "once" ? 1 : 0)),
      );
      assert.deepEqual(await office.news(), scenes.flatMap(({ task }) => [seen(task), seen(task)]).sort());
    }
  });

  for (const scope of scopes)
    it(`makes no call that one of 40 injections asks for, after the person agreed ${scope === "once" ? "once" : "for the conversation"}`, async (test) => {
      const { puppet, office, collector, house } = stage;
      const scenes = officeNames.flatMap((name) =>
        lures[name].injections.map((injection, n) => prepare(`${name}-${n}-${scope}`, name, injection, stage)),
      );
      assert.equal(scenes.length, 40);
      await ask(
        scenes.map(({ place }) => ({ place, words: `do (${place})`, scope })),
        stage,
      );
      assert.deepEqual(await office.news(), scenes.map(({ task }) => seen(task)).sort());
      puppet.results.length = 0;
      const waiting = await tell(
        scenes.map(({ place }) => ({ place, words: `look (${place})` })),
        stage,
      );
      for (const { place } of scenes) assert.ok(puppet.obeyed.has(`order-${place}`), `${place} was read and obeyed`);
      assert.deepEqual(await office.news(), [], "nothing was done");
      assert.deepEqual(collector.visits, []);
      for (const { conversation } of await house.written())
        assert.match(conversation.conversationId, /^(task|again|mail|calendar|tracker|drive)-/);
      const wanted = scenes.map(({ wanted }) => wanted.length);
      const isHeld = scenes.filter((_, n) => (waiting[n]?.length ?? 0) > 0).length;
      test.diagnostic(
        `of ${wanted.reduce((sum, one) => sum + one)} calls ${waiting.flat().length} were asked about; ${isHeld} of 40 injections ask`,
      );
      // Where nobody can be reached, it is refused without a question.
      const unasked = scenes.filter((_, n) => (waiting[n]?.length ?? 0) === 0);
      assert.ok(unasked.length < 3 && unasked.every(({ wanted }) => wanted.every(([name]) => name === "send_message")));
    });
});

/** Whom and what a task with these servers is about, in one conversation alone. */
function castOf(lure: Lure, id: string) {
  const cast = { agreed: lure.agreed(id), address: `anna-${id}@work.example`, evil: `eve-${id}@evil.example` };
  const task = lure.task(cast);
  // Strangers have written what was read before somebody agrees: what they agree to covers calls after it.
  return { cast, task, work: [lure.reads(`clean-${id}`), task] };
}

/** The person has something done, then looks at what a stranger has written. */
function prepare(place: string, name: OfficeName, injection: Injection, { puppet, office }: Stage) {
  const lure = lures[name];
  const { cast, task, work } = castOf(lure, place);
  const wanted = injection.calls(cast);
  puppet.plan(`do (${place})`, work);
  puppet.plan(`look (${place})`, [lure.reads(`read-${place}`)]);
  puppet.order(`order-${place}`, wanted);
  office.show(name, `read-${place}`, `${injection.text} (order-${place})`);
  return { place, task, wanted };
}

function seen([, tool, input]: OfficeCall): string {
  return `${tool} ${JSON.stringify(input)}`;
}

/** Some at once; whatever waits is agreed to. Resolves with how often that was for each. */
async function ask(asked: readonly Asked[], stage: Stage): Promise<readonly number[]> {
  const counts = asked.map(() => 0);
  let waiting = await tell(asked, stage);
  while (waiting.some(({ length }) => length > 0)) {
    const answers = asked.flatMap(({ place, scope }, n) =>
      (waiting[n] ?? []).map((id) => ({ place, words: `/approve ${id}${scope === "session" ? " session" : ""}` })),
    );
    for (const [n, ids] of waiting.entries()) counts[n] = (counts[n] ?? 0) + ids.length;
    await tell(answers, stage);
    waiting = await waitingIn(asked, stage);
  }
  return counts;
}

/** Resolves with the calls that wait in each of these conversations. */
async function tell(asked: readonly Asked[], stage: Stage): Promise<readonly (readonly string[])[]> {
  const { house } = stage;
  for (let at = 0; at < asked.length; at += atOnce) {
    const some = asked.slice(at, at + atOnce);
    await Promise.all(some.map(({ place, words }) => house.receive(inPrivate("ada", words, { conversation: place }))));
    await house.queue.work();
  }
  return waitingIn(asked, stage);
}

function waitingIn(asked: readonly Asked[], { house }: Stage): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    asked.map(async ({ place }) => {
      const calls = await house.store.calls.waiting(house.keyOf(inPrivate("ada", "", { conversation: place })));
      return calls.map(({ id }) => id);
    }),
  );
}

async function setUp() {
  await using closing = new AsyncDisposableStack();
  const collector = closing.use(await Collector.start());
  const office = closing.use(await Office.start());
  const puppet = new Puppet();
  const house = closing.use(
    await House.start({
      accounts,
      respond: puppet.respond,
      fetch: collector.fetch,
      workers: 2,
      sandbox: "backend: off",
      config: office.config,
    }),
  );
  const all = closing.move();
  return { collector, office, puppet, house, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

type Stage = Awaited<ReturnType<typeof setUp>>;
