import { createHash, randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataFolder } from "./cluster.ts";
import { query } from "./database.ts";
import { isRunning } from "./process-info.ts";
import { stopServer } from "./server.ts";
import { testSettings } from "./settings.ts";
import { type EmbeddedPostgres, findServer, startVariation } from "./start.ts";

let server: Promise<EmbeddedPostgres> | undefined;

/**
 * A fresh, empty database on a server that all test processes of this account and checkout share; the first call starts it,
 * below `os.tmpdir()`. The caller drops the database; connections still open to it are cut. The server runs without
 * fsync: it is for tests only, and it goes on until `stopTestPostgres`.
 */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { url } = await sharedServer();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await query(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    drop: async () => {
      await query(url, `drop database if exists ${name} with (force)`);
      await query(
        url,
        `drop role if exists ${["owner", "gateway", "worker"].map((role) => `${name}_${role}`).join(", ")}`,
      );
    },
  };
}

/** Stops the shared server, if it runs. */
export async function stopTestPostgres(): Promise<void> {
  server = undefined;
  const folder = await realpath(testFolder()).catch(() => undefined);
  const running = folder === undefined ? undefined : await findServer(dataFolder(folder), undefined);
  if (running !== undefined) await stopServer(running.pid);
}

/** One start per process is enough, unless that server was stopped meanwhile. */
async function sharedServer(): Promise<EmbeddedPostgres> {
  server ??= start();
  const started = await server;
  if (await isRunning(started.pid)) return started;
  server = undefined;
  return await sharedServer();
}

function start(): Promise<EmbeddedPostgres> {
  const folder = testFolder();
  const starting = startVariation(
    { dataDir: folder, cacheDir: join(folder, "cache"), log: () => undefined },
    { settings: testSettings, listen: "tcp" },
  );
  starting.catch(() => {
    server = undefined;
  });
  return starting;
}

/** Keyed by account and checkout, so that neither two people nor two checkouts share a server. */
function testFolder(): string {
  const key = createHash("sha256")
    .update(import.meta.dirname)
    .digest("hex")
    .slice(0, 10);
  return join(tmpdir(), `talaria-test-postgres-${process.getuid?.() ?? 0}-${key}`);
}
