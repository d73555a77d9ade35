import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Client } from "pg";
import { testSettings } from "../../../../packages/postgres/src/settings.ts";
import { startVariation } from "../../../../packages/postgres/src/start.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { awaitDatabase } from "./await-database.ts";
import type { Plan } from "./messages.ts";
import { runPreparation } from "./preparation.ts";

describe("a start whose database can't take it for now", () => {
  it("waits while others use up the connections, says so once, and goes on", async () => {
    const folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
    await using closing = new AsyncDisposableStack();
    closing.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const options = { dataDir: join(folder, "data"), cacheDir: join(folder, "cache"), log: () => undefined };
    const server = await startVariation(options, { settings: { ...testSettings, max_connections: "50" } });
    closing.defer(() => server.stop());
    const others = await takeAll(server.url);
    closing.defer(() => leave(others));
    const home = join(folder, "home");
    await mkdir(home);
    await writeFile(join(folder, "config.yaml"), "{}\n");
    const { REDIS_URL, OPENAI_API_KEY, ...inherited } = process.env;
    const own = { TALARIA_HOME: home, TALARIA_CONFIG: join(folder, "config.yaml"), DATABASE_URL: server.url };
    const said: string[] = [];
    const end: { plan?: Plan; error?: unknown } = {};
    const prepared = runPreparation({ ...inherited, ...own }, (line) => said.push(line)).then(
      (plan) => Object.assign(end, { plan }),
      (error: unknown) => Object.assign(end, { error }),
    );
    const waits = () => said.filter((line) => /^waiting: the database takes no more connections: .*max_c/.test(line));
    await waitFor(() => waits().length > 0 || end.error !== undefined, "a word about it");
    await leave(others);
    await prepared;
    assert.equal(end.error, undefined);
    assert.equal(end.plan?.workers, 1);
    assert.equal(waits().length, 1);
  });

  for (const [code, words] of [
    ["57P03", /starting or shutting down/],
    ["57P01", /is shutting down/],
  ] as const)
    it(`waits for ${code}, by itself or as a cause, longer each time and not for ever`, async () => {
      const said: string[] = [];
      const pauses: number[] = [];
      const bare = Object.assign(new Error("no"), { code });
      const work = () => Promise.reject(pauses.length % 2 === 0 ? bare : new Error("away", { cause: bare }));
      const pause = async (ms: number) => pauses.push(ms);
      await assert.rejects(
        awaitDatabase(work, (line) => said.push(line), pause),
        /log \(tried 26 times\)$/,
      );
      assert.deepEqual(pauses.slice(0, 5), [1_000, 2_000, 4_000, 5_000, 5_000]);
      assert.equal(pauses.length, 25);
      assert.equal(said.length, 1);
      assert.match(said[0] ?? "", words);
    });

  for (const code of ["28P01", "3D000", "ECONNREFUSED"])
    it(`ends at once for ${code}`, async () => {
      const refusal = Object.assign(new Error("no"), { code });
      const pause = () => assert.fail("it may not wait");
      await assert.rejects(
        awaitDatabase(() => Promise.reject(refusal), assert.fail, pause),
        refusal,
      );
    });
});

async function takeAll(connectionString: string): Promise<readonly Client[]> {
  for (const clients: Client[] = []; ; ) {
    const client = new Client({ connectionString });
    client.on("error", () => undefined);
    try {
      await client.connect();
      clients.push(client);
    } catch (error) {
      assert.equal((error as { readonly code?: string }).code, "53300");
      return clients;
    }
  }
}

async function leave(clients: readonly Client[]): Promise<void> {
  await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
}
