import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type RedisServer, startRedisServer } from "@talaria/testkit";
import { question, questionsIn } from "./support/answers.ts";
import { type Death, type DeathName, deaths, parts } from "./support/deaths.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { patienceMs } from "./support/journey.ts";
import { withoutRedis } from "./support/needs-redis.ts";
import { Stage } from "./support/stage.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

/** What Telegram, which neither recognises a message nor can be asked for it, and the store show in the end. */
interface Outcome {
  /** How often the answer stands in the chat, when it is not once. */
  readonly copies?: number;
  /** Sends of unknown outcome that `talaria status` counts. */
  readonly doubtful?: number;
  /** What `talaria trace` shows. */
  readonly trace: RegExp;
  /** Looks at the moment of death. */
  readonly atDeath?: (stage: Stage) => unknown;
  /** Looks at what else must be so in the end. */
  readonly check?: (stage: Stage) => unknown;
}

const straight = /turn began(?![\s\S]*resumed)[\s\S]*turn ended[\s\S]*sent {2}(?!.*"unknown":1)/;
const resumed = /turn began[\s\S]*resumed {2}\{"fence":\d+\}[\s\S]*turn ended[\s\S]*sent {2}(?!.*"unknown":1)/;
const doubtful = /turn began(?![\s\S]*resumed)[\s\S]*turn ended[\s\S]*sent {2}.*"unknown":1/;

const outcomes: Readonly<Record<DeathName, Outcome>> = {
  fetched: { trace: straight },
  committed: { trace: straight, atDeath: ({ telegram }) => assert.equal(telegram.pendingUpdates(), 1) },
  claimed: { trace: straight },
  asked: { trace: resumed },
  drafted: { trace: resumed },
  called: { trace: resumed },
  returned: { trace: resumed },
  undone: { trace: resumed },
  answered: { trace: straight },
  unsent: { trace: straight },
  posted: { copies: 2, doubtful: 1, trace: doubtful },
  postedTwice: { copies: 3, doubtful: 2, trace: /turn ended[\s\S]*sent {2}.*"unknown":2/ },
  postedInPart: {
    doubtful: 1,
    trace: doubtful,
    check: (stage) =>
      assert.deepEqual(
        parts.map((part) => stage.timesShown(part)),
        [1, 2, 1],
      ),
  },
  previewing: { trace: resumed, check: becameTheAnswer },
  previewStored: { trace: straight, check: becameTheAnswer },
  previewPosted: { doubtful: 1, trace: doubtful },
};

function becameTheAnswer({ chat }: Stage): void {
  const [first, ...more] = chat.botMessages();
  assert.ok((first?.edits ?? 0) > 0, chat.describe());
  assert.equal(more.length, 1, "the later answer and no further message");
}

function describeSteps(startRedis: () => Promise<string | undefined>): void {
  let world: FleetWorld;
  let gateway: FleetProcess;
  let worker: FleetProcess;

  before(async () => {
    world = await createFleetWorld({ leaseMs: 2_000, redisUrl: await startRedis() });
    [gateway, worker] = await Promise.all([world.fleet.start("gateway"), world.fleet.start("worker")]);
  });

  after(async () => {
    await world[Symbol.asyncDispose]();
  });

  for (const [name, death] of Object.entries(deaths) as [DeathName, Death][])
    it(`a ${death.killed} dies when ${death.when}`, async () => {
      const outcome = outcomes[name];
      const stage = new Stage(world, { gateway, worker }, death.previewed === "a message" ? "group" : "direct");
      const before = await world.fleet.backlog();
      await death.crash(stage);
      outcome.atDeath?.(stage);
      const later = question();
      await stage.writeMore(later);
      if (death.killed === "gateway") gateway = await world.fleet.start("gateway");
      else worker = await world.fleet.start("worker");
      await stage.chat.waitForBotMessage(later, patienceMs);
      const { possibleDuplicates, failedDeliveries } = await world.fleet.quiet();
      const copies = Array.from({ length: outcome.copies ?? 1 }, () => stage.asked);
      const shown = questionsIn(stage.screen.texts());
      assert.deepEqual(shown, [...copies, later], `${stage.chat.describe()}\n${world.fleet.output}`);
      assert.equal(possibleDuplicates - before.possibleDuplicates, outcome.doubtful ?? 0);
      assert.equal(failedDeliveries, before.failedDeliveries);
      assert.match(await world.fleet.talaria("trace", stage.eventId), outcome.trace);
      death.check?.(stage);
      outcome.check?.(stage);
    });
}

describe("one kill -9", { concurrency: true }, () => {
  describe("with wake-ups on PostgreSQL", { concurrency: 1 }, () => {
    describeSteps(async () => undefined);
  });

  describe("with wake-ups on Redis", { concurrency: 1, skip: withoutRedis }, () => {
    let redis: RedisServer;

    describeSteps(async () => {
      redis = await startRedisServer();
      return redis.url;
    });

    after(async () => {
      await redis.stop();
    });
  });
});
