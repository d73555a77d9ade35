import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { hold, modelFault, say } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { openQuestions } from "./support/answers.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

/** How often a turn is begun again before it is given up. */
const lives = 3;
/** What a worker logs whose write came after somebody else had taken the session. */
const refused = /"code":"conflict".*"session is claimed again"/;

describe("a session that is trouble", () => {
  let world: FleetWorld;
  let worker: FleetProcess;

  before(async () => {
    world = await createFleetWorld({ leaseMs: 2_000 });
    [, worker] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
  });

  after(async () => {
    await world[Symbol.asyncDispose]();
  });

  const timesAsked = (asked: string) =>
    world.model.requests.filter((request) => openQuestions(request).includes(asked)).length;

  it("is given up with one clear message when it kills its worker again and again, and harms nobody else", async () => {
    const { answers, fleet } = world;
    const poison = new Talk(world);
    const neighbour = new Talk(world);
    const { asked, eventId } = poison.ask();
    answers.plan(asked, ...Array.from({ length: lives }, () => modelFault.silent));
    for (let crash = 1; crash <= lives; crash += 1) {
      await waitFor(() => timesAsked(asked) === crash, `try number ${crash}`, patienceMs);
      neighbour.ask();
      await neighbour.isAnswered();
      await worker.kill();
      neighbour.ask();
      worker = await fleet.start("worker");
    }
    await poison.chat.waitForBotMessage(/couldn't finish this/, patienceMs);
    await neighbour.isAnswered();
    await fleet.quiet();
    assert.equal(timesAsked(asked), lives);
    assert.equal(poison.chat.botMessages().length, 1, poison.chat.describe());
    neighbour.assertEachOnce();
    assert.match(await fleet.talaria("trace", eventId), /(resumed[\s\S]*){2}turn ended {2}.*"reason":"crash_loop"/);
    const [, key = ""] = /^given up at .*talaria retry '(.+)'\)$/m.exec(await fleet.talaria("status")) ?? [];
    assert.match(await fleet.talaria("retry", key), /no message was dropped/);
    assert.doesNotMatch(await fleet.talaria("status"), /given up/);

    const next = poison.ask();
    await poison.isAnswered();
    assert.equal(timesAsked(next.asked), 1);
    assert.equal(poison.chat.botMessages().length, 2, poison.chat.describe());
  });

  it("is taken from a worker that sleeps, whose late writes are refused", async () => {
    const { answers, fleet } = world;
    const sleeper = worker;
    const [tooLate, inTime] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const talk = new Talk(world);
    const { asked, eventId } = talk.ask();
    answers.plan(
      asked,
      () => [...hold(tooLate.promise), ...say(`the sleeper's answer to ${asked}`)],
      (answer) => [...hold(inTime.promise), ...answer],
    );
    await waitFor(() => timesAsked(asked) === 1, "the first try", patienceMs);
    sleeper.freeze();
    worker = await fleet.start("worker");
    await waitFor(() => timesAsked(asked) === 2, "the second try", patienceMs);
    tooLate.resolve();
    sleeper.thaw();
    await waitFor(() => refused.test(sleeper.output), "the sleeper to be refused", patienceMs);
    inTime.resolve();
    await talk.isAnswered();
    await fleet.quiet();
    assert.deepEqual(
      talk.chat.botMessages().map(({ text }) => text),
      [`answer to ${asked}`],
    );
    assert.match(await fleet.talaria("trace", eventId), /resumed {2}\{"fence":2\}[\s\S]*turn ended/);
    assert.ok(!sleeper.hasEnded);

    await worker.kill();
    worker = sleeper;
    talk.ask();
    await talk.isAnswered();
    talk.assertEachOnce();
  });

  it("is let go by a worker that wakes and finds it taken", async () => {
    const { answers, fleet, model } = world;
    const sleeper = worker;
    const talk = new Talk(world);
    const { asked } = talk.ask();
    answers.plan(asked, modelFault.silent);
    const first = await model.waitForRequest((request) => openQuestions(request).includes(asked), patienceMs);
    sleeper.freeze();
    worker = await fleet.start("worker");
    await talk.isAnswered();
    assert.equal(first.hungUp.aborted, false);
    sleeper.thaw();
    await waitFor(() => first.hungUp.aborted, "the sleeper to hang up on the model", patienceMs);
    await fleet.quiet();
    talk.assertEachOnce();
  });
});
