import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { questionsIn } from "./support/answers.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { TableHold } from "./support/table-hold.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

describe("kill -9 of a gateway that changes what is remembered", () => {
  let world: FleetWorld;
  let gateway: FleetProcess;

  before(async () => {
    world = await createFleetWorld({ leaseMs: 2_000 });
    [gateway] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
  });

  /** The gateway dies in the middle of its transaction, which is then undone or done. Telegram delivers the command again. */
  async function killIn(table: string, fate: "undone" | "done", { chat }: Talk, command: string, answer: RegExp) {
    await world.fleet.quiet(patienceMs);
    const held = await TableHold.take(world.fleet.databaseUrl, table);
    chat.say(chat.person, command);
    await held.waitForWriter("settle_event");
    await gateway.kill();
    if (fate === "undone") await held.cut();
    await held.release();
    gateway = await world.fleet.start("gateway");
    await chat.waitForBotMessage(answer, patienceMs);
    await world.fleet.quiet(patienceMs);
    const told = chat.botMessages().filter(({ text }) => answer.test(text));
    assert.equal(told.length, 1, chat.describe());
  }

  /** Which questions the model is shown with the next one. */
  async function shownNext(talk: Talk): Promise<readonly string[]> {
    const { asked } = talk.ask();
    await talk.isAnswered();
    const request = world.model.requests.findLast(({ lastUserText }) => lastUserText.includes(asked));
    return [...new Set(questionsIn([JSON.stringify(request?.messages)]))];
  }

  for (const table of ["memory", "outbox"])
    for (const fate of ["undone", "done"] as const)
      it(`carries out each command once when it dies at the table ${table} and its write is ${fate}`, async () => {
        const talk = new Talk(world);
        for (let n = 0; n < 3; n += 1) {
          talk.ask();
          await talk.isAnswered();
        }
        const [one = "", two = ""] = talk.asked;
        await killIn(table, fate, talk, "/undo", /Taken back/);
        await killIn(table, fate, talk, "/branch 1", /This is a branch now/);
        assert.deepEqual(await shownNext(talk), [one, talk.asked[3]]);
        await killIn(table, fate, talk, "/resume 1", /Going on with/);
        assert.deepEqual(await shownNext(talk), [one, two, talk.asked[4]]);
        talk.chat.say(talk.chat.person, "/resume");
        const { text } = await talk.chat.waitForBotMessage(/What I remember here/, patienceMs);
        assert.equal(text.match(/turns, last used/g)?.length, 2, text);
      });
});
