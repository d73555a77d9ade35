import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, hold, modelFault, usage } from "@talaria/testkit";
import { Client } from "pg";
import { waitFor } from "../support/wait-for.ts";
import { openQuestions, question, questionsIn } from "./support/answers.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { TableHold } from "./support/table-hold.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

/** How often a session whose holder dies is claimed again before it is given up. */
const lives = 3;
/** Above three quarters of what a Telegram message may have, so that more may follow. */
const nearlyFull = 4_000;

describe("kill -9, and what happens once", () => {
  let world: FleetWorld;
  let gateway: FleetProcess;
  let worker: FleetProcess;

  before(async () => {
    world = await createFleetWorld({ leaseMs: 2_000, activation: "mention" });
    [gateway, worker] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
  });

  /** The worker dies while it waits to write to the table, and what it wrote meanwhile is undone. */
  async function killWriterTo(table: string, statement: string, cause: () => unknown): Promise<void> {
    const held = await TableHold.take(world.fleet.databaseUrl, table);
    await cause();
    await held.waitForWriter(statement);
    await worker.kill();
    await held.cut();
    await held.release();
  }

  /** The worker dies when a turn has begun and the model has not been asked, because it can't be reached. */
  async function killBeforeModel(cause: () => unknown): Promise<void> {
    world.model.goOffline();
    await cause();
    await waitFor(async () => (await world.fleet.backlog()).runningTurns > 0, "the turn to begin", patienceMs);
    await worker.kill();
    world.model.goOnline();
  }

  const restartWorker = async () => {
    worker = await world.fleet.start("worker");
  };

  /** What the counters of a chat and its person show, windows that have ended included. */
  async function spentBy({ chat }: Talk): Promise<Readonly<Record<string, number>>> {
    const client = new Client({ connectionString: world.fleet.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ counter: string; used: number }>(
        `select split_part(key, '/', 1) || '/' || split_part(key, '/', 2) as counter, used::float8 as used
           from talaria.spending where split_part(key, '/', 4) = $1`,
        [String(chat.id)],
      );
      return Object.fromEntries(rows.map(({ counter, used }) => [counter, used]));
    } finally {
      await client.end();
    }
  }

  const timesAsked = (asked: string) =>
    world.model.requests.filter((request) => openQuestions(request).includes(asked)).length;

  const begins = { undone: killWriterTo.bind(undefined, "memory", "begin_turn"), done: killBeforeModel };
  for (const [fate, killInBegin] of Object.entries(begins))
    it(`charges a turn once when the worker dies before the model call and its begin is ${fate}`, async () => {
      const talk = new Talk(world);
      let eventId = "";
      await killInBegin(() => {
        ({ eventId } = talk.ask());
      });
      await restartWorker();
      await talk.isAnswered();
      talk.assertEachOnce();
      const trace = await world.fleet.talaria("trace", eventId);
      assert.equal(/resumed/.test(trace), fate === "done", trace);
      assert.equal((await spentBy(talk))["turns/person"], 1);
      assert.equal((await spentBy(talk))["turns/conversation"], 1);
    });

  it("charges tokens once for each answer of the model that is stored, whether the worker dies before or after that", async () => {
    const talk = new Talk(world);
    const gate = Promise.withResolvers<void>();
    const { asked } = talk.ask();
    const call = () => [...callTool("current_time", {}, { id: `call_${asked}` }), ...usage(100, 10)];
    world.answers.plan(
      asked,
      () => [...hold(gate.promise), ...call()],
      call,
      modelFault.silent,
      (answer) => [...answer, ...usage(200, 20)],
    );
    await waitFor(() => timesAsked(asked) === 1, "the model to be asked", patienceMs);
    await killWriterTo("entry", "append_entries", gate.resolve);
    await restartWorker();
    await waitFor(() => timesAsked(asked) === 3, "the model to be asked with the result", patienceMs);
    await worker.kill();
    await restartWorker();
    await talk.isAnswered();
    talk.assertEachOnce();
    assert.equal(timesAsked(asked), 4);
    assert.equal((await spentBy(talk))["turns/person"], 1);
    // A written token counts as five that are read.
    assert.equal((await spentBy(talk))["tokens/person"], 100 + 5 * 10 + 200 + 5 * 20);
    const { rows } = JSON.parse(await world.fleet.talaria("usage", "--by", "person", "--json"));
    const used = rows.filter(({ of }: { readonly of: string }) => of.endsWith(`/${talk.chat.person.id}`));
    assert.deepEqual(
      used.map((row: Readonly<Record<string, number>>) => [row.answers, row.inputTokens, row.outputTokens]),
      [[2, 300, 30]],
    );
  });

  it("answers what a session was given up with, tried again in a fleet that dies before and after that", async () => {
    const talk = new Talk(world);
    const neighbour = new Talk(world);
    await killWriterTo("memory", "begin_turn", () => {
      talk.ask();
      talk.ask();
    });
    for (let death = 2; death <= lives; death += 1) await killWriterTo("memory", "begin_turn", restartWorker);
    await restartWorker();
    await talk.chat.waitForBotMessage(/couldn't finish this/, patienceMs);
    await world.fleet.quiet(patienceMs);
    await Promise.all([gateway.kill(), worker.kill()]);
    gateway = await world.fleet.start("gateway");
    const [, key = ""] = /^given up at .*talaria retry '(.+)'\)$/m.exec(await world.fleet.talaria("status")) ?? [];
    assert.match(await world.fleet.talaria("retry", key), /2 messages wait again/);
    await killBeforeModel(restartWorker);
    await restartWorker();
    neighbour.ask();
    await Promise.all([talk.isAnswered(), neighbour.isAnswered()]);
    await world.fleet.quiet(patienceMs);
    talk.assertEachOnce();
    assert.equal(talk.chat.botMessages().length, 2, talk.chat.describe());
    assert.doesNotMatch(await world.fleet.talaria("status"), /given up/);
    assert.equal((await spentBy(talk))["turns/person"], 1);
  });

  it("hears every part of a long text in a group, of which only the first names it, when the gateway dies between them", async () => {
    const ada = world.telegram.user({ first_name: "Ada" });
    const group = world.telegram.group({ title: "Team", members: [ada], botIsAdministrator: true });
    const filler = "word ".repeat(nearlyFull / 5);
    const parts = [question(), question(), question()] as const;
    group.say(ada, `${parts[0]} ${filler}`, { mentionBot: true });
    await waitFor(
      async () => (await world.fleet.backlog()).waitingEvents > 0,
      "the first part to be recorded",
      patienceMs,
    );
    await gateway.kill();
    group.say(ada, `${parts[1]} ${filler}`);
    group.say(ada, `${parts[2]} and that was it`);
    gateway = await world.fleet.start("gateway");
    await group.waitForBotMessage(parts[2], patienceMs);
    await world.fleet.quiet(patienceMs);
    assert.deepEqual(questionsIn(group.botMessages().map(({ text }) => text)), parts, group.describe());
  });

  it("tells a group once that something failed, whoever dies in that and after it", async () => {
    const ada = world.telegram.user({ first_name: "Ada" });
    const group = world.telegram.group({ title: "Team", members: [ada], botIsAdministrator: true });
    const notices = () => group.botMessages().length;
    const fail = () => {
      const asked = question();
      world.answers.plan(asked, ...Array.from({ length: lives }, () => modelFault.unauthorized));
      group.say(ada, asked, { mentionBot: true });
      return asked;
    };
    await killWriterTo("told", "commit_turn", fail);
    await restartWorker();
    await waitFor(() => notices() === 1, "the notice", patienceMs);
    await world.fleet.quiet(patienceMs);
    await Promise.all([gateway.kill(), worker.kill()]);
    [gateway, worker] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
    const again = fail();
    await waitFor(() => timesAsked(again) > 0, "the model to be asked", patienceMs);
    await world.fleet.quiet(patienceMs);
    assert.equal(notices(), 1, group.describe());
  });
});
