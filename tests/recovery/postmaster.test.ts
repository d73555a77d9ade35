import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { startEmbeddedPostgres } from "@talaria/postgres";
import { waitFor } from "../support/wait-for.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld } from "./support/world.ts";

const chatCount = 6;

it("the first process of the database stands still: who is connected goes on, who starts is told, and nothing is lost", async () => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-postmaster-"));
  await using closing = new AsyncDisposableStack();
  closing.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const options = { dataDir: join(folder, "data"), cacheDir: join(folder, "cache"), log: () => undefined };
  const server = await startEmbeddedPostgres(options);
  closing.defer(() => server.stop());
  await using world = await createFleetWorld({ leaseMs: 2_000, databaseUrl: server.url });
  const { fleet, model } = world;
  const [gateway, worker] = await Promise.all([fleet.start("gateway"), fleet.start("worker")]);
  const talks = Array.from({ length: chatCount }, () => new Talk(world));
  const held = Promise.withResolvers<void>();
  for (const talk of talks) talk.askAndHold(held.promise);
  await waitFor(() => model.openAnswers() === chatCount, "every turn to run", patienceMs);

  process.kill(server.pid, "SIGSTOP");
  try {
    for (const talk of talks) talk.ask();
    held.resolve();
    const [told] = await Promise.allSettled([fleet.talaria("status"), ...talks.map((talk) => talk.isAnswered(0))]);
    assert.match(told.status === "rejected" ? String(told.reason) : "it answered", /the database is away/);
    for (const { answered, asked } of talks) assert.equal(answered[0], asked[0], "while it stood still");
  } finally {
    process.kill(server.pid, "SIGCONT");
  }

  for (const talk of talks) await talk.isAnswered(-1, patienceMs);
  const { possibleDuplicates, failedDeliveries } = await fleet.quiet();
  for (const talk of talks) talk.assertEachOnce();
  assert.deepEqual({ possibleDuplicates, failedDeliveries }, { possibleDuplicates: 0, failedDeliveries: 0 });
  assert.deepEqual([gateway.hasEnded, worker.hasEnded], [false, false]);
});
