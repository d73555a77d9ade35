import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { testSettings } from "../../packages/postgres/src/settings.ts";
import { startVariation } from "../../packages/postgres/src/start.ts";
import { waitFor } from "../support/wait-for.ts";
import { patienceMs } from "./support/journey.ts";
import { Talk } from "./support/talk.ts";
import { createFleetWorld } from "./support/world.ts";

const chatCount = 6;
/** Enough for what runs here, so that few of others use them up. */
const max_connections = 50;
const told = /takes no more connections: .*max_connections/;

it("others use up the database's connections: it is said with the remedy, also by what starts, and nothing is lost", async () => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-slots-"));
  await using closing = new AsyncDisposableStack();
  closing.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const options = { dataDir: join(folder, "data"), cacheDir: join(folder, "cache"), log: () => undefined };
  const server = await startVariation(options, {
    settings: { ...testSettings, max_connections: String(max_connections) },
  });
  closing.defer(() => server.stop());
  await using world = await createFleetWorld({ leaseMs: 2_000, databaseUrl: server.url });
  const { fleet, telegram, model } = world;
  const [gateway] = await Promise.all([fleet.start("gateway"), fleet.start("worker")]);
  const talks = Array.from({ length: chatCount }, () => new Talk(world));
  const held = Promise.withResolvers<void>();
  for (const talk of talks) talk.askAndHold(held.promise);
  await waitFor(() => model.openAnswers() === chatCount, "every turn to run", patienceMs);

  const others = await Others.takeAll(server.url);
  closing.defer(() => others.leave());
  for (const talk of talks) talk.ask();
  held.resolve();
  const readiness = async () => (await fetch(`${gateway.url}/readyz`)).text();
  await waitFor(async () => told.test(await readiness()), "the gateway to say why it is not ready", patienceMs);
  const late = [fleet.start("gateway"), fleet.start("worker"), fleet.talaria("status")];
  for (const begun of await Promise.allSettled(late))
    assert.match(begun.status === "rejected" ? String(begun.reason) : "it began", told);
  assert.equal(telegram.pendingUpdates(), chatCount, "what is not recorded is not confirmed");
  await others.leave();

  for (const talk of talks) await talk.isAnswered(-1, patienceMs);
  const { possibleDuplicates, failedDeliveries } = await fleet.quiet();
  for (const talk of talks) talk.assertEachOnce();
  assert.deepEqual({ possibleDuplicates, failedDeliveries }, { possibleDuplicates: 0, failedDeliveries: 0 });
  assert.ok(!gateway.hasEnded);
});

/** Clients that take every connection the server has, and each that becomes free. */
class Others {
  readonly #clients = new Set<Client>();
  #isLeaving = false;
  #taking: Promise<void> = Promise.resolve();

  /** Resolves when nobody else has one. */
  static async takeAll(url: string): Promise<Others> {
    const others = new Others();
    while (await others.#take(url));
    others.#taking = others.#keepTaking(url);
    const [first] = others.#clients;
    assert.ok(first);
    const cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'talaria%'";
    const hasAll = async () => others.#clients.size === max_connections || ((await first.query(cut)) && undefined);
    await waitFor(hasAll, "nobody else to be connected");
    return others;
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#taking;
    await Promise.all([...this.#clients].map((client) => client.end()));
    this.#clients.clear();
  }

  async #keepTaking(url: string): Promise<void> {
    while (!this.#isLeaving) if (!(await this.#take(url))) await sleep(5);
  }

  /** Whether the server gave one. */
  async #take(connectionString: string): Promise<boolean> {
    const client = new Client({ connectionString, application_name: "others" });
    client.on("error", () => this.#clients.delete(client));
    try {
      await client.connect();
      this.#clients.add(client);
      return true;
    } catch (error) {
      assert.equal((error as { readonly code?: string }).code, "53300");
      return false;
    }
  }
}
