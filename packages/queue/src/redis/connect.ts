import { reconnectPauseMs } from "../backoff.ts";
import type { Connections, QueueDeps } from "../connections.ts";
import { within } from "../deadline.ts";
import { createOutageLog } from "../outage-log.ts";
import { checkServer } from "./check-server.ts";
import { type ClientOptions, RedisClient } from "./client.ts";
import { createRedisRests } from "./rests.ts";
import { createRedisTransport } from "./transport.ts";
import { openWakeJobs } from "./wake-jobs.ts";

const connectMs = 5_000;
const readyMs = 8_000;
const answerMs = 1_000;
const keepAliveMs = 10_000;
const readinessKey = "talaria:readiness";
const readinessMs = 1_000;

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
  const jobs = openWakeJobs({ commands, open, processId, log, report });

  function destroy(): void {
    for (const client of clients) client.disconnect();
  }

  try {
    await within(jobs.ready(), readyMs, clock, "redis did not become ready in time");
  } catch (error) {
    destroy();
    throw error;
  }

  return {
    sendWakes: jobs.send,
    createWorker: jobs.createWorker,
    transport: createRedisTransport({ commands, subscriber, clock }),
    rests: createRedisRests(commands, clock),
    async ping() {
      // A server that is full, or has become a replica, goes on answering PING.
      await commands.set(readinessKey, 1, "PX", readinessMs);
    },
    async close() {
      await jobs.close();
      await Promise.all([...clients].map(quit));
    },
    destroy,
  };
}

/** Answers that are on their way still arrive, when there is a server to send them. */
async function quit(client: RedisClient): Promise<void> {
  if (client.status === "ready") await client.quit().catch(() => undefined);
}
