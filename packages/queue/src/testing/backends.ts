import { createTestDatabase } from "@talaria/postgres";
import { brandAs, type Log, type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import { startRedisServer } from "@talaria/testkit";
import { createQueue, migrateQueue, type QueueBackend, type QueueRole, type QueueSystem } from "../index.ts";

export const backendKinds = ["redis", "postgres"] as const;

/** A backend of its own and the queue systems opened on it. Disposing closes both. */
export interface TestBackend extends AsyncDisposable {
  readonly backend: QueueBackend;
  open(role: QueueRole, options?: OpenOptions): Promise<QueueSystem>;
}

export interface OpenOptions {
  readonly log?: Log;
  /** In front of the same server, for example a gate. */
  readonly url?: string;
}

/** Starts a real Redis, or makes a database with the queue's tables. */
export async function startBackend(kind: QueueBackend["kind"]): Promise<TestBackend> {
  const { url, remove } = kind === "redis" ? await redis() : await postgres();
  const backend = { kind, url };
  await migrateQueue(backend);
  const systems: QueueSystem[] = [];
  return {
    backend,
    async open(role, { log = silentLog, url: otherUrl = url } = {}) {
      const processId = brandAs<ProcessId>(`${role}-${systems.length}`);
      const deps = { role, processId, log, clock: systemClock, random: Math.random };
      const system = await createQueue({ backend: { kind, url: otherUrl }, ...deps });
      systems.push(system);
      return system;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(systems.map((system) => system.close()));
      await remove();
    },
  };
}

async function redis() {
  const server = await startRedisServer();
  return { url: server.url, remove: server.stop };
}

async function postgres() {
  const database = await createTestDatabase();
  return { url: database.url, remove: database.drop };
}
