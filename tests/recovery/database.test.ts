import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { startEmbeddedPostgres } from "@talaria/postgres";
import { startModelServer } from "@talaria/testkit";
import { figuresOf } from "../bench/process-tree.ts";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";
import { Answers } from "./support/answers.ts";
import { patienceMs } from "./support/journey.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";
import { killPostmaster } from "./support/kill-postmaster.ts";
import { Talk } from "./support/talk.ts";
import { configOf, createFleetWorld } from "./support/world.ts";

const chatCount = 8;

describe("the database dies", { concurrency: true }, () => {
  it("on a single machine in the middle of turns: it is started again, and nothing is lost or doubled", async () => {
    const answers = new Answers();
    await using telegram = await startTelegramServer();
    await using model = await startModelServer({ respond: answers.respond });
    await using talaria = await Installation.start({ config: configOf(telegram, model, { leaseMs: 5_000 }) });
    const talks = Array.from({ length: chatCount }, () => new Talk({ telegram, answers }));
    const backlog = async () => JSON.parse(await talaria.talaria("status", "--json")).backlog;
    const gate = Promise.withResolvers<void>();
    for (const talk of talks) talk.askAndHold(gate.promise);
    await waitFor(() => model.openAnswers() === chatCount, "every turn to run", patienceMs);

    await killPostmaster(talaria);
    for (const talk of talks) talk.ask();
    gate.resolve();

    for (const talk of talks) await talk.isAnswered(-1, 60_000);
    assert.match(talaria.output, /the database has ended; it starts again/);
    await waitFor(async () => (await backlog()).pendingDeliveries === 0, "everything to be delivered", patienceMs);
    const { possibleDuplicates, failedDeliveries } = await backlog();
    for (const talk of talks) talk.assertEachOnce();
    assert.deepEqual({ possibleDuplicates, failedDeliveries }, { possibleDuplicates: 0, failedDeliveries: 0 });
  });

  it("under a fleet: what Telegram delivers meanwhile is not confirmed, and all of it is answered afterwards", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "talaria-postgres-"));
    const options = { dataDir: join(dataDir, "data"), cacheDir: join(dataDir, "cache"), log: () => undefined };
    const server = await startEmbeddedPostgres(options);
    try {
      await using world = await createFleetWorld({ leaseMs: 2_000, databaseUrl: server.url });
      const { fleet, telegram, model } = world;
      await Promise.all([fleet.start("gateway"), fleet.start("worker"), fleet.start("worker")]);
      const talks = Array.from({ length: chatCount }, () => new Talk(world));
      const gate = Promise.withResolvers<void>();
      for (const talk of talks) talk.askAndHold(gate.promise);
      await waitFor(() => model.openAnswers() === chatCount, "every turn to run", patienceMs);

      await server.stop();
      for (const talk of talks) talk.ask();
      gate.resolve();
      const polls = telegram.calls.count("getUpdates");
      await waitFor(() => telegram.calls.count("getUpdates") >= polls + 2, "the same updates again", patienceMs);
      assert.equal(telegram.pendingUpdates(), chatCount);
      assert.equal((await startEmbeddedPostgres(options)).url, server.url);

      for (const talk of talks) await talk.isAnswered(-1, 60_000);
      const { possibleDuplicates, failedDeliveries } = await fleet.quiet();
      for (const talk of talks) talk.assertEachOnce();
      assert.deepEqual({ possibleDuplicates, failedDeliveries }, { possibleDuplicates: 0, failedDeliveries: 0 });
    } finally {
      await (await startEmbeddedPostgres(options)).stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    }
  });

  it("with everything else at once, and all is started again: every message is answered", async () => {
    const answers = new Answers();
    await using telegram = await startTelegramServer();
    await using model = await startModelServer({ respond: answers.respond });
    await using talaria = await Installation.start({ config: configOf(telegram, model, { leaseMs: 3_000 }) });
    const talks = Array.from({ length: chatCount }, () => new Talk({ telegram, answers }));
    for (const talk of talks.slice(chatCount / 2)) talk.ask();
    for (const talk of talks.slice(chatCount / 2)) await talk.isAnswered();
    const never = new Promise<void>(() => undefined);
    for (const talk of talks) talk.askAndHold(never);
    await waitFor(() => model.openAnswers() === chatCount, "every turn to run", patienceMs);

    for (const { pid } of await figuresOf(talaria.pid, talaria.home)) killIfAlive(pid);
    for (const talk of talks) talk.ask();
    await talaria.begin();

    for (const talk of talks) await talk.isAnswered(-1, 60_000);
    for (const talk of talks) talk.assertEachOnce();
  });
});
