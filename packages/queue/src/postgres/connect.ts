import type { PgPool } from "bullmq";
import pg from "pg";
import type { Connections, QueueDeps, QueueRole, WakeData } from "../connections.ts";
import { within } from "../deadline.ts";
import { backendFailure } from "../failures.ts";
import { createOutageLog } from "../outage-log.ts";
import { queueOptions, wakeQueueName, workerOptions } from "../wake-options.ts";
import { createListener } from "./listener.ts";
import { connectionSettings } from "./settings.ts";
import { createPostgresTransport } from "./transport.ts";
import { queueClasses } from "./wake-backend.ts";

/** Of a worker's three one listens for jobs all the time. The signals' listener comes on top. */
const poolSizes: Readonly<Record<QueueRole, number>> = { worker: 3, gateway: 2, tool: 1 };
const keptOpen = 1;
const idleMs = 30_000;
const readyMs = 10_000;

/** Opens one pool for everything and, with the first subscription, one connection that listens for signals. */
export async function connectPostgres(url: string, deps: QueueDeps): Promise<Connections> {
  const { processId, role, random, clock, log } = deps;
  const report = createOutageLog(log, clock);
  const settings = connectionSettings(url, `talaria queue ${role} ${processId}`);
  const pool = new pg.Pool({ ...settings, max: poolSizes[role], min: keptOpen, idleTimeoutMillis: idleMs });
  const clients = trackClients(pool, report);
  const listener = createListener({ settings, random, clock, report });

  // BullMQ describes the pool by overloads that the real pool's types, though not the pool, fail to match.
  const connection = pool as unknown as PgPool;
  const { Queue, Worker } = queueClasses(clock);
  const wakes = new Queue<WakeData>(wakeQueueName, { connection, ...queueOptions });
  wakes.on("error", report);

  function destroy(): void {
    listener.destroy();
    for (const client of clients) client.connection.stream.destroy();
  }

  try {
    await within(wakes.waitUntilReady(), readyMs, clock, "postgres did not become ready in time");
  } catch (error) {
    await pool.end().catch(() => undefined);
    throw backendFailure(error, "postgres", url);
  }

  return {
    wakes,
    createWorker(process, concurrency) {
      const options = { connection, name: processId, concurrency, ...workerOptions };
      const worker = new Worker(wakeQueueName, process, options);
      worker.on("error", report);
      return worker;
    },
    transport: createPostgresTransport({ pool, listener, clock }),
    async ping() {
      await pool.query("select 1");
    },
    async close() {
      await wakes.close();
      await listener.close();
      await pool.end();
    },
    destroy,
  };
}

/** Each client keeps a listener for errors, also while it is lent out: without one a lost server ends the process. */
function trackClients(pool: pg.Pool, report: (error: unknown) => void): Set<TrackedClient> {
  const clients = new Set<TrackedClient>();
  pool.on("error", report);
  pool.on("connect", (client) => {
    client.on("error", report);
    clients.add(client as TrackedClient);
  });
  pool.on("remove", (client) => clients.delete(client as TrackedClient));
  return clients;
}

/** `connection` is part of the client, though its types do not show it. */
type TrackedClient = pg.PoolClient & { readonly connection: { readonly stream: { destroy(): void } } };
