import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { query } from "@talaria/postgres";
import { openTcpGate, type TcpGate } from "../../packages/queue/src/testing/tcp-gate.ts";
import { waitFor } from "../support/wait-for.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

const leaseMs = 2_000;
const chatCount = 8;
const askMs = 1_000;

const ways: Readonly<Record<string, (gate: TcpGate) => unknown>> = {
  cut: (gate) => gate.slam(),
  frozen: (gate) => gate.freeze(),
};

/** A process whose way to the database leads through a gate of its own. */
interface Gated {
  readonly process: FleetProcess;
  readonly gate: TcpGate;
}

describe("one process of a fleet can't reach the database, and lives on", () => {
  let world: FleetWorld;
  let gateways: readonly Gated[];
  let workers: readonly Gated[];

  before(async () => {
    world = await createFleetWorld({ leaseMs });
    const [first, ...both] = await Promise.all([start("gateway"), start("worker"), start("worker")]);
    workers = both;
    assert.equal(await world.fleet.holderOf("bot-0"), first.process);
    gateways = [first, await start("gateway")];
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await Promise.all([...gateways, ...workers].map(({ gate }) => gate.close()));
  });

  async function start(kind: "gateway" | "worker"): Promise<Gated> {
    const gate = await openTcpGate(world.fleet.databaseUrl);
    return { process: await world.fleet.start(kind, { DATABASE_URL: gate.url }), gate };
  }

  async function busyWorkers(): Promise<readonly number[]> {
    const owners = await query(
      world.fleet.databaseUrl,
      "select owner from talaria.session where open_turn is not null",
    );
    const ids = owners.map((row) => (row as { readonly owner: string }).owner);
    return (await world.fleet.store.processes.list()).filter(({ id }) => ids.includes(id)).map(({ pid }) => pid);
  }

  for (const [way, begin] of Object.entries(ways)) {
    it(`the gateway that holds the bot, whose connections are ${way}: the other one takes over, and nothing is lost`, async () => {
      const { fleet } = world;
      const held = await fleet.holderOf("bot-0");
      const [holder, other] = held === gateways[0]?.process ? gateways : gateways.toReversed();
      assert.ok(holder !== undefined && other !== undefined);
      await underLoad(world, async () => {
        begin(holder.gate);
        await waitFor(async () => (await fleet.holderOf("bot-0")) === other.process, "the other gateway", patienceMs);
        assert.deepEqual(await Promise.all([holder, other].map(readiness)), [503, 200]);
        await thaw(holder.gate);
        await waitFor(async () => (await readiness(holder)) === 200, "the gateway to be ready again", patienceMs);
      });
      assert.ok(!holder.process.hasEnded);
    });

    it(`a worker whose connections are ${way}: the other one goes on, and nothing is lost or doubled`, async () => {
      let cut: Gated | undefined;
      const doubled = await underLoad(world, async (talks) => {
        const held = Promise.withResolvers<void>();
        for (const talk of talks) talk.askAndHold(held.promise);
        await waitFor(() => world.model.openAnswers() >= talks.length, "turns to run", patienceMs);
        const pids = await busyWorkers();
        cut = workers.find(({ process }) => pids.includes(process.pid));
        assert.ok(cut !== undefined);
        begin(cut.gate);
        held.resolve();
        for (const talk of talks) await talk.isAnswered();
        await thaw(cut.gate);
      });
      assert.equal(doubled, 0);
      assert.equal(cut?.process.hasEnded, false);
    });
  }
});

/**
 * People write all the time while `meanwhile` lasts. Every question is answered, in order, and what stands there twice is counted.
 * Returns how much that is.
 */
async function underLoad(world: FleetWorld, meanwhile: (talks: readonly Talk[]) => Promise<void>): Promise<number> {
  const before = await world.fleet.backlog();
  const newTalks = () => Array.from({ length: chatCount / 2 }, () => new Talk(world));
  const [talks, held] = [newTalks(), newTalks()];
  for (const talk of [...talks, ...held]) talk.ask();
  for (const talk of [...talks, ...held]) await talk.isAnswered();
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      for (const talk of talks) talk.ask();
      await sleep(askMs);
    }
  })();
  await meanwhile(held).finally(() => {
    isOver = true;
  });
  await writing;
  for (const talk of [...talks, ...held]) talk.ask();
  for (const talk of [...talks, ...held]) await talk.isAnswered(-1, 2 * patienceMs);
  const backlog = await world.fleet.quiet(2 * patienceMs);
  for (const { answered, asked, chat } of [...talks, ...held])
    assert.deepEqual([...new Set(answered)], asked, `${chat.describe()}\n${world.fleet.output}`);
  const doubled = [...talks, ...held].reduce((sum, { doubledMessages }) => sum + doubledMessages, 0);
  const counted = backlog.possibleDuplicates - before.possibleDuplicates;
  assert.ok(doubled <= counted, `${doubled} doubled, ${counted} counted`);
  assert.equal(backlog.failedDeliveries, 0);
  return counted;
}

async function thaw(gate: TcpGate): Promise<void> {
  await gate.shut();
  await gate.open();
}

async function readiness({ process }: Gated): Promise<number> {
  const response = await fetch(`${process.url}/readyz`);
  await response.body?.cancel();
  return response.status;
}
