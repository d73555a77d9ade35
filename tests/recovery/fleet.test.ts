import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { modelFault, type RedisServer, startRedisServer } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { openQuestions } from "./support/answers.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { withoutRedis } from "./support/needs-redis.ts";
import { Talk } from "./support/talk.ts";
import { configOf, createFleetWorld, type FleetWorld } from "./support/world.ts";

const leaseMs = 3_000;
const chatCount = 10;
/** How many of its workers a turn outlives: one more, and people are told that something keeps failing. */
const deathsInARow = 2;
/** Calls that are posted and whose sender dies before it learns so. */
const inFlight = 3;

describe("a fleet on one PostgreSQL and one Redis", { skip: withoutRedis }, () => {
  let redis: RedisServer;
  let world: FleetWorld;
  let workers: readonly FleetProcess[];

  before(async () => {
    redis = await startRedisServer();
    world = await createFleetWorld({ leaseMs, redisUrl: redis.url });
    const { fleet } = world;
    await fleet.start("gateway");
    await fleet.holderOf("bot-0");
    await fleet.start("gateway");
    workers = await Promise.all([fleet.start("worker"), fleet.start("worker"), fleet.start("worker")]);
  });

  after(async () => {
    await world[Symbol.asyncDispose]();
    await redis.stop();
  });

  const newTalks = () => Array.from({ length: chatCount }, () => new Talk(world));
  const askAll = (talks: readonly Talk[]) => talks.forEach((talk) => void talk.ask());
  const allAnswered = async (talks: readonly Talk[]) => {
    for (const talk of talks) await talk.isAnswered();
    await world.fleet.quiet();
  };

  it("polls a bot from one gateway", async () => {
    const talks = newTalks();
    askAll(talks);
    await allAnswered(talks);
    for (const talk of talks) talk.assertEachOnce();
    assert.equal(refusedPolls(world), 0);
  });

  it("hands a bot over when its gateway is killed", async () => {
    const holder = await world.fleet.holderOf("bot-0");
    const talks = newTalks();
    const { possibleDuplicates } = await world.fleet.backlog();
    world.telegram.fail("sendMessage", { kind: "hang", effect: "done" }, inFlight);
    askAll(talks);
    await waitFor(() => unansweredSends(world) === inFlight, "calls without an answer", patienceMs);
    await holder.kill();
    askAll(talks);
    await allAnswered(talks);
    assertDoublesAreCounted(talks, (await world.fleet.backlog()).possibleDuplicates - possibleDuplicates);
    assert.notEqual(await world.fleet.holderOf("bot-0"), holder);
    assert.equal(refusedPolls(world), 0);
    await world.fleet.start("gateway");
  });

  it("sends nothing from a gateway that has slept through its lease", async () => {
    const { fleet, telegram, model } = world;
    const sleeper = await fleet.holderOf("bot-0");
    const [thought, passage] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const talks = newTalks();
    for (const talk of talks) talk.askAndHold(thought.promise);
    await waitFor(() => model.openAnswers() === chatCount, "every turn to run", patienceMs);
    sleeper.freeze();
    const before = telegram.calls.count("sendMessage");
    const sends = () => telegram.calls.count("sendMessage") - before;
    const letThrough = telegram.onCall("sendMessage", () => passage.promise);
    thought.resolve();
    await waitFor(() => sends() === chatCount, "the other gateway to send", patienceMs);
    sleeper.thaw();
    await waitFor(
      () => sleeper.output.includes("account lost to another gateway"),
      "the sleeper to learn it",
      patienceMs,
    );
    assert.equal(sends(), chatCount);
    letThrough();
    passage.resolve();
    await allAnswered(talks);
    assert.notEqual(await fleet.holderOf("bot-0"), sleeper);
    askAll(talks);
    await allAnswered(talks);
    assert.equal(sends(), 2 * chatCount);
    for (const talk of talks) talk.assertEachOnce();
  });

  it("hands a bot over before its lease ends when its gateway is stopped", async () => {
    const { fleet } = world;
    const leaving = await fleet.holderOf("bot-0");
    const { possibleDuplicates } = await fleet.backlog();
    const talks = newTalks();
    askAll(talks);
    await leaving.stop();
    askAll(talks);
    await allAnswered(talks);
    for (const talk of talks) talk.assertEachOnce();
    assert.equal((await fleet.backlog()).possibleDuplicates, possibleDuplicates);
  });

  it("goes on elsewhere only when a gateway that is stopped has finished what it sends", async () => {
    // Gateways look for free accounts three times in a lease, and one that leaves has half of it to finish.
    const longLeaseMs = 10_000;
    await using own = await createFleetWorld({ leaseMs: longLeaseMs });
    const { fleet, telegram } = own;
    const leaving = await fleet.start("gateway");
    await Promise.all([fleet.holderOf("bot-0"), fleet.start("worker")]);
    await fleet.start("gateway");
    const before = telegram.calls.count("sendMessage");
    const passage = Promise.withResolvers<void>();
    const letThrough = telegram.onCall("sendMessage", () => passage.promise);
    const talks = Array.from({ length: chatCount }, () => new Talk(own));
    askAll(talks);
    await waitFor(() => telegram.calls.count("sendMessage") - before === chatCount, "calls under way", patienceMs);
    const stopped = leaving.stop();
    await sleep(longLeaseMs * 0.35);
    letThrough();
    passage.resolve();
    await stopped;
    for (const talk of talks) await talk.isAnswered();
    const { possibleDuplicates } = await fleet.quiet();
    for (const talk of talks) talk.assertEachOnce();
    assert.equal(possibleDuplicates, 0);
  });

  it("loses nothing when its workers are killed in turn", async () => {
    const { fleet, model } = world;
    const { possibleDuplicates } = await fleet.backlog();
    const talks = newTalks();
    for (const [index, victim] of workers.entries()) {
      // Three deaths in a row set a session aside, by design; a turn that ends begins the count anew.
      if (index === deathsInARow) await allAnswered(talks);
      const gate = Promise.withResolvers<void>();
      for (const talk of talks) talk.askAndHold(gate.promise);
      await waitFor(() => model.openAnswers() > 0, "turns to run", patienceMs);
      const [next] = await Promise.all([fleet.start("worker"), victim.kill()]);
      workers = [...workers.filter((each) => each !== victim), next];
      gate.resolve();
    }
    await allAnswered(talks);
    for (const talk of talks) talk.assertEachOnce();
    assert.equal((await fleet.backlog()).possibleDuplicates, possibleDuplicates);
  });

  it("takes over the turns of a worker that is stopped before they end", async () => {
    const { fleet, answers, model } = world;
    const { possibleDuplicates } = await fleet.backlog();
    const talk = new Talk(world);
    const { asked, eventId } = talk.ask();
    answers.plan(asked, modelFault.silent);
    await model.waitForRequest((request) => openQuestions(request).includes(asked), patienceMs);
    await Promise.all(workers.map((worker) => worker.stop()));
    await fleet.start("worker");
    await allAnswered([talk]);
    talk.assertEachOnce();
    assert.equal((await fleet.backlog()).possibleDuplicates, possibleDuplicates);
    assert.match(await fleet.talaria("trace", eventId), /resumed {2}\{"fence":2\}/);
  });
});

describe("a fleet with two bots", () => {
  it("serves them from two gateways, and from one when the other leaves, before a lease could have ended", async () => {
    const longLeaseMs = 18_000;
    await using world = await createFleetWorld({
      leaseMs: longLeaseMs,
      telegram: { tokens: ["700000001:first", "700000002:second"] },
    });
    const { fleet, telegram, model } = world;
    const only = telegram.bots.slice(0, 1);
    const config = await fleet.addConfig("one-bot.yaml", configOf(telegram, model, { leaseMs: longLeaseMs }, only));
    const first = await fleet.start("gateway", { TALARIA_CONFIG: config });
    assert.equal(await fleet.holderOf("bot-0"), first);
    const second = await fleet.start("gateway");
    assert.equal(await fleet.holderOf("bot-1"), second);
    await fleet.start("worker");
    const talks = telegram.bots.map((bot) => new Talk(world, bot));
    for (const talk of talks) talk.ask();
    for (const talk of talks) await talk.isAnswered();
    await fleet.quiet();
    await first.stop();
    for (const talk of talks) talk.ask();
    for (const talk of talks) await talk.isAnswered(-1, longLeaseMs * 0.8);
    assert.equal(await fleet.holderOf("bot-0"), second);
    for (const talk of talks) talk.assertEachOnce();
  });
});

/** Telegram refuses the older of two polls of one bot. */
function refusedPolls({ telegram }: FleetWorld): number {
  return telegram.calls.of("getUpdates").filter(({ errorCode }) => errorCode === 409).length;
}

function unansweredSends({ telegram }: FleetWorld): number {
  return telegram.calls.of("sendMessage").filter(({ outcome }) => outcome === "dropped").length;
}

/** Each question is answered, in order, and what stands there twice is no more than what is counted. */
function assertDoublesAreCounted(talks: readonly Talk[], counted: number): void {
  for (const talk of talks) assert.deepEqual([...new Set(talk.answered)], talk.asked, talk.chat.describe());
  const doubled = talks.reduce((sum, talk) => sum + talk.answered.length - talk.asked.length, 0);
  assert.ok(doubled >= inFlight && doubled <= counted, `${doubled} doubled, ${counted} counted`);
}
