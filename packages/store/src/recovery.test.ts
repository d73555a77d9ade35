import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@talaria/postgres";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { migrate } from "./schema/migrate.ts";
import { createStore, type Store } from "./store.ts";
import { entryOf, keyOf } from "./test-store.ts";

const callers = 32;

describe("the store and a server that dies", () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let store: Store;
  const start = () =>
    startEmbeddedPostgres({ dataDir: join(folder, "data"), cacheDir: join(folder, "cache"), log: () => undefined });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-store-"));
    server = await start();
    await migrate(server.url, silentLog);
    store = createStore({ url: server.url, log: silentLog, clock: systemClock, maxConnections: 4 });
  });
  after(async () => {
    await store.close();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /** Records events of one session until `stop`, as platforms do: again and again until each is acknowledged. */
  async function recordAlong(session: string, disturb: () => Promise<void>): Promise<readonly string[]> {
    const acknowledged: string[] = [];
    let failures = 0;
    let stop = false;
    const deliver = async (id: string): Promise<void> => {
      for (;;) {
        try {
          await store.inbox.record(entryOf(id, session));
          acknowledged.push(id);
          return;
        } catch (error) {
          assert.ok(isGatewayError(error, "unavailable"), String(error));
          failures += 1;
          await sleep(20);
        }
      }
    };
    const running = Array.from({ length: callers }, async (_, caller) => {
      for (let n = 0; !stop; n++) await deliver(`${session}-${caller}-${n}`);
    });
    await sleep(150);
    await disturb();
    await sleep(150);
    stop = true;
    await Promise.all(running);
    assert.ok(failures > 0, "the disturbance was felt");
    return acknowledged;
  }

  async function checkNothingLost(session: string, acknowledged: readonly string[]): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      const { rows } = await client.query(
        "select event_id, seq::integer as seq from talaria.inbox where session_key = $1 order by seq",
        [keyOf(session)],
      );
      assert.deepEqual(rows.map(({ event_id }) => event_id).sort(), [...acknowledged].sort());
      assert.deepEqual(
        rows.map(({ seq }) => seq),
        rows.map((_, index) => index + 1),
      );
    } finally {
      await client.end();
    }
  }

  it("loses nothing acknowledged when the server is killed in the middle of batches, and goes on by itself", async () => {
    const acknowledged = await recordAlong("killed", async () => {
      process.kill(server.pid, "SIGKILL");
      server = await start();
    });
    assert.ok(acknowledged.length > callers);
    await checkNothingLost("killed", acknowledged);
  });

  it("survives a crash of one backend, which cuts every connection", async () => {
    const acknowledged = await recordAlong("crashed", async () => {
      const client = new pg.Client({ connectionString: server.url });
      client.on("error", () => undefined);
      await client.connect();
      const { rows } = await client.query(
        "select pid from pg_stat_activity where application_name = 'talaria' and pid <> pg_backend_pid() limit 1",
      );
      process.kill(rows[0].pid, "SIGKILL");
      await client.end().catch(() => undefined);
    });
    await checkNothingLost("crashed", acknowledged);
  });

  it("answers `unavailable` while the server is away, also to a ping, and works again when it is back", async () => {
    await server.stop();
    for (const call of [
      () => store.inbox.record(entryOf("away", "away")),
      () => store.ping(new AbortController().signal),
    ]) {
      await assert.rejects(call, (error) => isGatewayError(error, "unavailable"));
    }
    server = await start();
    await store.ping(new AbortController().signal);
    assert.deepEqual(await store.inbox.record(entryOf("away", "away")), { outcome: "recorded", seq: 1 });
  });

  it("lets a ping be given up", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const stuck = createStore({
      url: `postgres://u:p@127.0.0.1:${port}/d`,
      log: silentLog,
      clock: systemClock,
      maxConnections: 1,
    });
    await assert.rejects(stuck.ping(AbortSignal.timeout(50)), (error) => isGatewayError(error, "aborted"));
    silent.close();
    for (const socket of sockets) socket.destroy();
    await stuck.close();
  });
});
