import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { noticing } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { question, questionsIn } from "./support/answers.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { TableHold } from "./support/table-hold.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

const bossId = 7_001;
const welcome = /You're in\. I'm answering what you wrote\./;

describe("kill -9 while an owner lets somebody in", () => {
  let world: FleetWorld;
  let gateway: FleetProcess;
  let worker: FleetProcess;
  let boss: PrivateChat;

  before(async () => {
    world = await createFleetWorld({ leaseMs: 2_000, access: "{ direct: pairing }", owners: [bossId] });
    [gateway, worker] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
    boss = world.telegram.privateChat(world.telegram.user({ first_name: "Bo", id: bossId }));
    boss.say(boss.person, "/sethome");
    await boss.waitForBotMessage("I'll ask you here", patienceMs);
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
  });

  /** Somebody writes twice, and the owner is asked. */
  async function atTheDoor() {
    const zoe = world.telegram.user({ first_name: "Zoe" });
    const chat = world.telegram.privateChat(zoe);
    const asked = [question(), question()];
    for (const text of asked) chat.say(zoe, text);
    await chat.waitForBotMessage("Still waiting for my owner", patienceMs);
    const about = await boss.waitForBotMessage(`${zoe.id} on Telegram wants to talk to me`, patienceMs);
    await world.fleet.quiet(patienceMs);
    return { chat, asked, letIn: () => boss.press(boss.person, about.id, "Let in"), aboutId: about.id };
  }

  /** They are in, whoever died meanwhile: welcomed and answered once, and so the owner is told. */
  async function isInOnce({ chat, asked, aboutId }: Awaited<ReturnType<typeof atTheDoor>>): Promise<void> {
    for (const words of asked) await chat.waitForBotMessage(words, patienceMs);
    const closed = () => boss.message(aboutId)?.buttons.length === 0;
    await waitFor(closed, `the question to be closed in\n${boss.describe()}`, patienceMs);
    await world.fleet.quiet(patienceMs);
    const texts = chat.botMessages().map(({ text }) => text);
    assert.deepEqual(questionsIn(texts), asked, chat.describe());
    assert.equal(texts.filter((text) => welcome.test(text)).length, 1, chat.describe());
    const told = boss
      .botMessages()
      .filter(({ text }) => text.includes(`${chat.id}`) && text.includes("can talk to me"));
    assert.equal(told.length, 1, boss.describe());
    const rows = (await world.fleet.store.pairing.list()).filter(({ userId }) => userId === `${chat.id}`);
    assert.deepEqual(
      rows.map(({ state, decidedBy }) => [state, decidedBy]),
      [["approved", "Bo"]],
    );
    const next = question();
    chat.say(chat.person, next);
    await chat.waitForBotMessage(next, patienceMs);
  }

  for (const table of ["pairing", "inbox", "outbox"])
    for (const fate of ["undone", "done"] as const)
      it(`counts the press once when the gateway dies at the table ${table} and its write is ${fate}`, async () => {
        const door = await atTheDoor();
        const held = await TableHold.take(world.fleet.databaseUrl, table);
        door.letIn();
        await held.waitForWriter("settle_event");
        await gateway.kill();
        if (fate === "undone") await held.cut();
        await held.release();
        gateway = await world.fleet.start("gateway");
        await isInOnce(door);
      });

  it("answers what they wrote once when the welcome is posted and the gateway dies before it knows", async () => {
    const before = await world.fleet.backlog();
    const door = await atTheDoor();
    const { when, met } = noticing<Readonly<Record<string, unknown>>>(
      ({ chat_id, text }) => String(chat_id) === `${door.chat.id}` && welcome.test(String(text)),
    );
    world.telegram.fail("sendMessage", { kind: "hang", effect: "done" }, 1, when);
    door.letIn();
    await met;
    await gateway.kill();
    gateway = await world.fleet.start("gateway");
    for (const words of door.asked) await door.chat.waitForBotMessage(words, patienceMs);
    const { possibleDuplicates } = await world.fleet.quiet(patienceMs);
    const texts = door.chat.botMessages().map(({ text }) => text);
    assert.deepEqual(questionsIn(texts), door.asked, door.chat.describe());
    const [first, ...again] = texts.filter((text) => welcome.test(text));
    assert.match(first ?? "", /^You're in/);
    assert.equal(again.length, possibleDuplicates - before.possibleDuplicates, "Telegram recognises no repetition");
    for (const text of again) assert.doesNotMatch(text, /^You're in/, "what is sent again says so");
  });

  it("answers what they wrote once when the worker dies with its first turn", async () => {
    const door = await atTheDoor();
    const entries = await TableHold.take(world.fleet.databaseUrl, "entry");
    door.letIn();
    await entries.waitForWriter("begin_turn");
    await worker.kill();
    await entries.cut();
    await entries.release();
    worker = await world.fleet.start("worker");
    await isInOnce(door);
  });
});
