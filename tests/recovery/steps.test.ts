import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, hold, modelFault, type RedisServer, say, startRedisServer } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { type Plan, question, questionsIn } from "./support/answers.ts";
import type { FleetProcess } from "./support/fleet-process.ts";
import { withoutRedis } from "./support/needs-redis.ts";
import { patienceMs, Stage } from "./support/stage.ts";
import { TableHold } from "./support/table-hold.ts";
import { createFleetWorld, type FleetWorld } from "./support/world.ts";

interface Step {
  readonly killed: "gateway" | "worker";
  readonly when: string;
  readonly place?: "group";
  /** Writes the question, waits until it is at this step, and kills. */
  readonly crash: (stage: Stage) => Promise<unknown>;
  /** How often the answer stands in the chat, when it is not once. */
  readonly copies?: number;
  /** Sends of unknown outcome that `talaria status` counts. */
  readonly doubtful?: number;
  /** Messages that are given up. */
  readonly failed?: number;
  /** What `talaria trace` shows. */
  readonly trace: RegExp;
  /** Looks at what else must be so in the end. */
  readonly check?: (stage: Stage) => unknown;
}

const straight = /turn began(?![\s\S]*resumed)[\s\S]*turn ended[\s\S]*sent {2}(?!.*"unknown":1)/;
const resumed = /turn began[\s\S]*resumed {2}\{"fence":\d+\}[\s\S]*turn ended[\s\S]*sent {2}(?!.*"unknown":1)/;
const doubtful = /turn began(?![\s\S]*resumed)[\s\S]*turn ended[\s\S]*sent {2}.*"unknown":1/;

const steps: readonly Step[] = [
  {
    killed: "gateway",
    when: "a message is fetched and not committed",
    crash: async (stage) => {
      const seen = await TableHold.take(stage.world.fleet.databaseUrl, "seen");
      stage.write();
      await seen.waitForWriter();
      await stage.gateway.kill();
      await seen.cut();
      await seen.release();
      assert.equal(await stage.isRecorded(), false);
    },
    trace: straight,
  },
  {
    killed: "gateway",
    when: "the message is committed, nobody is woken and Telegram is not told",
    crash: async (stage) => {
      const seen = await TableHold.take(stage.world.fleet.databaseUrl, "seen");
      stage.write();
      await seen.waitForWriter();
      await stage.gateway.kill();
      await seen.release();
      await stage.isAnswered();
      assert.equal(stage.world.telegram.pendingUpdates(), 1);
    },
    trace: straight,
  },
  {
    killed: "worker",
    when: "the session is claimed and the turn has not begun",
    crash: async (stage) => {
      const turns = await TableHold.take(stage.world.fleet.databaseUrl, "turn");
      stage.write();
      await turns.waitForWriter();
      await stage.worker.kill();
      await turns.cut();
      await turns.release();
    },
    trace: straight,
  },
  {
    killed: "worker",
    when: "the model is asked and has not answered",
    crash: async (stage) => {
      stage.world.answers.plan(stage.asked, modelFault.silent);
      stage.write();
      await stage.isAsked();
      await stage.worker.kill();
    },
    trace: resumed,
  },
  {
    killed: "worker",
    when: "half of the answer is shown as a draft",
    crash: async (stage) => {
      stage.world.answers.plan(stage.asked, () => modelFault.stallAfter("Half an answer"));
      stage.write();
      await waitFor(() => stage.chat.drafts().some(({ text }) => text.includes("Half")), "the draft", patienceMs);
      await stage.worker.kill();
    },
    trace: resumed,
  },
  {
    killed: "worker",
    when: "the intent of a tool call is stored and its result is not",
    crash: async (stage) => {
      const gate = Promise.withResolvers<void>();
      const call = callTool("current_time", {}, { id: "call_lost" });
      stage.world.answers.plan(stage.asked, () => [...hold(gate.promise), ...call]);
      stage.write();
      await stage.isAsked();
      const entries = await TableHold.take(stage.world.fleet.databaseUrl, "entry");
      gate.resolve();
      await entries.waitForWriter();
      await stage.worker.kill();
      await entries.release();
    },
    trace: resumed,
    check: (stage) => {
      const results = resultsOf("call_lost", stage);
      assert.equal(results.length, 1);
      assert.match(results[0] ?? "", /UTC: 20/);
    },
  },
  {
    killed: "worker",
    when: "a tool has run and the model is told so",
    crash: async (stage) => {
      const call = callTool("current_time", {}, { id: "call_kept" });
      stage.world.answers.plan(stage.asked, () => call, modelFault.silent);
      stage.write();
      await waitFor(() => resultsOf("call_kept", stage).length > 0, "the request with the result", patienceMs);
      await stage.worker.kill();
    },
    trace: resumed,
    check: (stage) => {
      const [first, second, ...more] = resultsOf("call_kept", stage);
      assert.match(first ?? "", /UTC: 20/);
      assert.equal(second, first, "the result of the one call, to the millisecond");
      assert.deepEqual(more, []);
    },
  },
  {
    killed: "worker",
    when: "it commits the turn, and the commit is undone",
    crash: async (stage) => {
      const outbox = await TableHold.take(stage.world.fleet.databaseUrl, "outbox");
      stage.write();
      await outbox.waitForWriter();
      await stage.worker.kill();
      await outbox.cut();
      await outbox.release();
    },
    trace: resumed,
  },
  {
    killed: "worker",
    when: "the turn is committed and the gateway is not told",
    crash: async (stage) => {
      const outbox = await TableHold.take(stage.world.fleet.databaseUrl, "outbox");
      stage.write();
      await outbox.waitForWriter();
      await stage.worker.kill();
      await outbox.release();
    },
    trace: straight,
    check: (stage) => assert.equal(stage.timesAsked(), 1),
  },
  {
    killed: "gateway",
    when: "a turn runs, which commits without one, and nothing is sent",
    crash: async (stage) => {
      const gate = Promise.withResolvers<void>();
      stage.world.answers.plan(stage.asked, (answer) => [...hold(gate.promise), ...answer]);
      stage.write();
      await stage.isAsked();
      await stage.gateway.kill();
      gate.resolve();
      await stage.isAnswered();
      assert.equal((await stage.world.fleet.backlog()).pendingDeliveries, 1);
    },
    trace: straight,
    check: (stage) => assert.equal(stage.timesAsked(), 1),
  },
  {
    killed: "gateway",
    when: "the answer is posted and its id is not recorded",
    crash: async (stage) => {
      stage.loseNextAnswerOfTelegram();
      stage.write();
      await stage.chat.waitForBotMessage(stage.asked, patienceMs);
      await stage.gateway.kill();
    },
    copies: 2,
    doubtful: 1,
    trace: doubtful,
  },
  {
    killed: "gateway",
    when: "it posts the answer for the second time, after a first death in the same place",
    crash: async (stage) => {
      stage.loseNextAnswerOfTelegram();
      stage.loseNextAnswerOfTelegram();
      stage.write();
      await stage.isShown(stage.asked);
      await stage.gateway.kill();
      const second = await stage.world.fleet.start("gateway");
      await stage.isShown(stage.asked, 2);
      await second.kill();
    },
    copies: 2,
    doubtful: 1,
    failed: 1,
    trace: /turn ended[\s\S]*failed {2}.*"unknown":1.*"error":"unknown_outcome"/,
  },
  {
    killed: "gateway",
    when: "the second part of a long answer is posted and its id is not recorded",
    crash: async (stage) => {
      stage.world.answers.plan(stage.asked, (answer) => [...answer, ...say(`\n\n${paragraphs}`)]);
      stage.loseNextAnswerOfTelegram("second");
      stage.write();
      await stage.isShown("second");
      await stage.gateway.kill();
    },
    doubtful: 1,
    trace: doubtful,
    check: (stage) =>
      assert.deepEqual(
        ["first", "second", "third"].map((part) => stage.timesShown(part)),
        [1, 2, 1],
      ),
  },
  {
    killed: "worker",
    when: "a preview of the answer stands in a group",
    place: "group",
    crash: async (stage) => {
      stage.world.answers.plan(stage.asked, () => modelFault.stallAfter("Half an answer"));
      stage.write();
      await stage.chat.waitForBotMessage("Half", patienceMs);
      await stage.worker.kill();
    },
    trace: resumed,
    check: becameTheAnswer,
  },
  {
    killed: "gateway",
    when: "a preview of the answer stands in a group and its id is stored",
    place: "group",
    crash: async (stage) => {
      const gate = Promise.withResolvers<void>();
      stage.world.answers.plan(stage.asked, halves(gate.promise));
      stage.write();
      await stage.previewIsStored();
      await stage.gateway.kill();
      gate.resolve();
      await stage.isAnswered();
    },
    trace: straight,
    check: becameTheAnswer,
  },
  {
    killed: "gateway",
    when: "a preview is posted in a group and its id is not stored",
    place: "group",
    crash: async (stage) => {
      const gate = Promise.withResolvers<void>();
      stage.world.answers.plan(stage.asked, halves(gate.promise));
      stage.loseNextAnswerOfTelegram();
      stage.write();
      await stage.chat.waitForBotMessage("Half", patienceMs);
      await stage.gateway.kill();
      gate.resolve();
      await stage.isAnswered();
    },
    doubtful: 1,
    trace: doubtful,
  },
];

/** Each fills a message of its own. */
const paragraphs = ["first", "second", "third"].map((part) => `${part} ${"word ".repeat(700)}`).join("\n\n");

function halves(between: Promise<void>): Plan {
  return (answer) => [...say("Half. "), ...hold(between), ...answer];
}

function becameTheAnswer({ chat }: Stage): void {
  const [first, ...more] = chat.botMessages();
  assert.ok((first?.edits ?? 0) > 0, chat.describe());
  assert.equal(more.length, 1, "the later answer and no further message");
}

/** What the model was told of a call, one text per request. */
function resultsOf(callId: string, { world, asked }: Stage): readonly string[] {
  const requests = world.model.requests.filter(({ messages }) => JSON.stringify(messages).includes(asked));
  return requests.flatMap(({ messages, toolResults }) =>
    messages.some(({ tool_call_id }) => tool_call_id === callId) ? toolResults : [],
  );
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

  for (const step of steps)
    it(`a ${step.killed} dies when ${step.when}`, async () => {
      const stage = new Stage(world, { gateway, worker }, step.place ?? "direct");
      const before = await world.fleet.backlog();
      await step.crash(stage);
      const later = question();
      stage.writeMore(later);
      if (step.killed === "gateway") gateway = await world.fleet.start("gateway");
      else worker = await world.fleet.start("worker");
      await stage.chat.waitForBotMessage(later, patienceMs);
      const { possibleDuplicates, failedDeliveries } = await world.fleet.quiet();
      const copies = Array.from({ length: step.copies ?? 1 }, () => stage.asked);
      const shown = questionsIn(stage.chat.botMessages().map(({ text }) => text));
      assert.deepEqual(shown, [...copies, later], `${stage.chat.describe()}\n${world.fleet.output}`);
      assert.equal(possibleDuplicates - before.possibleDuplicates, step.doubtful ?? 0);
      assert.equal(failedDeliveries - before.failedDeliveries, step.failed ?? 0);
      assert.match(await world.fleet.talaria("trace", stage.eventId), step.trace);
      await step.check?.(stage);
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
