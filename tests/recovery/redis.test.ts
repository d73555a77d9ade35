import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { type RedisServer, startRedisServer } from "@talaria/testkit";
import { runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { withoutRedis } from "./support/needs-redis.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

const chatCount = 12;

describe("Redis loses everything it knew", { skip: withoutRedis }, () => {
  let redis: RedisServer;
  let world: FleetWorld;

  before(async () => {
    redis = await startRedisServer();
    world = await createFleetWorld({ leaseMs: 2_000, redisUrl: redis.url });
  });

  after(async () => {
    await world[Symbol.asyncDispose]();
    await redis.stop();
  });

  it("before any worker is there: FLUSHALL", async () => {
    const { telegram, fleet } = world;
    await fleet.start("gateway");
    const talks = Array.from({ length: chatCount }, () => new Talk(world));
    for (const talk of talks) talk.ask();
    await waitFor(async () => (await fleet.backlog()).waitingEvents === chatCount, "every event in the inbox");
    await command(redis, "FLUSHALL");
    await fleet.start("worker");
    for (const talk of talks) await talk.isAnswered();
    await fleet.quiet();
    for (const talk of talks) talk.assertEachOnce();
    assert.equal(telegram.pendingUpdates(), 0);
  });

  it("while turns run and messages wait behind them: FLUSHALL", async () => {
    const talks = Array.from({ length: chatCount }, () => new Talk(world));
    const gate = Promise.withResolvers<void>();
    for (const talk of talks) talk.askAndHold(gate.promise);
    await waitFor(async () => (await world.fleet.backlog()).runningTurns === chatCount, "every turn to run");
    for (const talk of talks) talk.ask();
    await waitFor(async () => (await world.fleet.backlog()).waitingEvents === chatCount, "every later message");
    await command(redis, "FLUSHALL");
    gate.resolve();
    for (const talk of talks) await talk.isAnswered();
    await world.fleet.quiet();
    for (const talk of talks) talk.assertEachOnce();
  });

  it("in a crash without persistence, and people write while it is away", async () => {
    const talks = Array.from({ length: chatCount }, () => new Talk(world));
    const gate = Promise.withResolvers<void>();
    for (const talk of talks.slice(0, chatCount / 2)) talk.askAndHold(gate.promise);
    await waitFor(async () => (await world.fleet.backlog()).runningTurns === chatCount / 2, "the first turns to run");
    await redis.kill();
    for (const talk of talks) talk.ask();
    await waitFor(async () => (await world.fleet.backlog()).waitingEvents === chatCount, "what is written meanwhile");
    gate.resolve();
    for (const talk of talks.slice(0, chatCount / 2)) await talk.isAnswered(0);
    await redis.restart();
    for (const talk of talks) await talk.isAnswered();
    await world.fleet.quiet();
    for (const talk of talks) talk.assertEachOnce();
    assert.equal((await world.fleet.backlog()).possibleDuplicates, 0);
  });
});

describe("Redis takes nothing for a while", { skip: withoutRedis }, () => {
  let redis: RedisServer;
  let world: FleetWorld;
  let gateway: FleetProcess;

  before(async () => {
    redis = await startRedisServer();
    world = await createFleetWorld({ leaseMs: 2_000, redisUrl: redis.url });
    [gateway] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await redis.stop();
  });

  async function readiness(): Promise<number> {
    const response = await fetch(`${gateway.url}/readyz`);
    await response.body?.cancel();
    return response.status;
  }

  for (const [name, begin, end] of [
    ["it stands still", () => signal(redis, "SIGSTOP"), () => signal(redis, "SIGCONT")],
    [
      "its memory is full",
      () => command(redis, "CONFIG SET maxmemory 1"),
      () => command(redis, "CONFIG SET maxmemory 0"),
    ],
  ] as const)
    it(`${name}: the gateway is not ready, and what is written meanwhile is answered once`, async () => {
      const talks = Array.from({ length: chatCount }, () => new Talk(world));
      const gate = Promise.withResolvers<void>();
      for (const talk of talks.slice(0, chatCount / 2)) talk.askAndHold(gate.promise);
      await waitFor(() => world.model.openAnswers() === chatCount / 2, "the first turns to run");
      await begin();
      try {
        for (const talk of talks) talk.ask();
        await waitFor(
          async () => (await world.fleet.backlog()).waitingEvents === chatCount,
          "what is written meanwhile",
        );
        gate.resolve();
        await waitFor(async () => (await readiness()) === 503, "the gateway to say so");
      } finally {
        await end();
      }
      await waitFor(async () => (await readiness()) === 200, "the gateway to be ready again");
      for (const talk of talks) await talk.isAnswered();
      const { possibleDuplicates } = await world.fleet.quiet();
      for (const talk of talks) talk.assertEachOnce();
      assert.equal(possibleDuplicates, 0);
    });
});

describe("a Redis that may throw keys away", { skip: withoutRedis }, () => {
  it("is refused by every process with the exact setting", async () => {
    await using redis = await startRedisServer();
    await using world = await createFleetWorld({ leaseMs: 2_000, redisUrl: redis.url });
    await command(redis, "CONFIG SET maxmemory-policy allkeys-lru");
    const remedy = /maxmemory-policy allkeys-lru: run "redis-cli config set maxmemory-policy noeviction"/;
    for (const kind of ["gateway", "worker"] as const) await assert.rejects(world.fleet.start(kind), remedy);
    const env = { TALARIA_HOME: world.fleet.home, DATABASE_URL: world.fleet.databaseUrl, REDIS_URL: redis.url };
    const { code, stderr } = await runTalaria(["start"], env);
    assert.equal(code, 1);
    assert.match(stderr, remedy);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
    await command(redis, "CONFIG SET maxmemory-policy noeviction");
    await world.fleet.start("gateway");
  });
});

async function signal(redis: RedisServer, name: NodeJS.Signals): Promise<void> {
  const pid = redis.pid();
  assert.ok(pid !== undefined);
  process.kill(pid, name);
}

async function command({ port }: RedisServer, line: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  try {
    socket.write(`${line}\r\n`);
    const [answer] = await once(socket, "data");
    assert.match(String(answer), /^\+OK/);
  } finally {
    socket.destroy();
  }
}
