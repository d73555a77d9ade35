import { Queue, Worker } from "bullmq";
import { reconnectPauseMs } from "../backoff.ts";
import type { Connections, QueueDeps, WakeData } from "../connections.ts";
import { within } from "../deadline.ts";
import { createOutageLog } from "../outage-log.ts";
import { queueOptions, wakeQueueName, workerOptions } from "../wake-options.ts";
import { checkServer } from "./check-server.ts";
import { type ClientOptions, RedisClient } from "./client.ts";
import { createRedisTransport } from "./transport.ts";

const prefix = "talaria";
const connectMs = 5_000;
const readyMs = 8_000;
const answerMs = 1_000;
const keepAliveMs = 10_000;

/**
 * Opens two connections, one for commands and, with the first subscription, one for signals; a consumer adds two.
 * All reconnect by themselves.
 */
export async function connectRedis(url: string, deps: QueueDeps): Promise<Connections> {
  const { processId, random, clock, log } = deps;
  const report = createOutageLog(log, clock);
  const clients = new Set<RedisClient>();

  function open(options: ClientOptions): RedisClient {
    const client = new RedisClient(url, {
      connectionName: `talaria:${processId}`,
      connectTimeout: connectMs,
      keepAlive: keepAliveMs,
      retryStrategy: (attempt: number) => reconnectPauseMs(attempt, random),
      ...options,
    });
    client.on("error", report);
    clients.add(client);
    return client;
  }

  await checkServer(url, clock);
  const commands = open({ maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: answerMs });
  const subscriber = open({ lazyConnect: true, maxRetriesPerRequest: null });
  const wakes = new Queue<WakeData>(wakeQueueName, { connection: commands, prefix, ...queueOptions });
  wakes.on("error", report);

  function destroy(): void {
    for (const client of clients) client.disconnect();
  }

  try {
    await within(wakes.waitUntilReady(), readyMs, clock, "redis did not become ready in time");
  } catch (error) {
    destroy();
    throw error;
  }

  return {
    wakes,
    createWorker(process, concurrency) {
      const connection = open({ maxRetriesPerRequest: null });
      // BullMQ blocks on a copy of the connection. A copy that is not ours could not be cut by `destroy`.
      const copy = (override: ClientOptions) => open({ maxRetriesPerRequest: null, ...override });
      Object.assign(connection, { duplicate: copy });
      const options = { connection, prefix, name: processId, concurrency, ...workerOptions };
      const worker = new Worker(wakeQueueName, process, options);
      worker.on("error", report);
      return worker;
    },
    transport: createRedisTransport({ commands, subscriber, clock }),
    async ping() {
      await commands.ping();
    },
    async close() {
      await wakes.close();
      await Promise.all([...clients].map(quit));
    },
    destroy,
  };
}

/** Answers that are on their way still arrive, when there is a server to send them. */
async function quit(client: RedisClient): Promise<void> {
  if (client.status === "ready") await client.quit().catch(() => undefined);
}
