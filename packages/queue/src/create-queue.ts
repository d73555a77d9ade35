import { type Clock, GatewayError, type Log, untilAborted } from "@talaria/protocol";
import type { Connections, QueueDeps } from "./connections.ts";
import { startConsumer } from "./consumer.ts";
import { within } from "./deadline.ts";
import { backendFailure, messageOf } from "./failures.ts";
import type { Consumer, QueueBackend, QueueSystem } from "./ports.ts";
import { createSignalBus } from "./signal-bus.ts";
import { createWakeProducer } from "./wake-queue.ts";

export interface QueueOptions extends QueueDeps {
  readonly backend: QueueBackend;
}

const closeMs = 10_000;
const lastGraceMs = 4_000;

/**
 * Connects a process to the queue. Rejects with `unavailable`, or `unauthorized`, and one sentence for the operator
 * when the backend cannot be used now; when it goes away later, calls reject until it is back. On PostgreSQL the
 * queue's tables must be there: see `migrateQueue`.
 */
export async function createQueue(options: QueueOptions): Promise<QueueSystem> {
  const { backend, role, log, clock, random } = options;
  const toFailure = (error: unknown) => backendFailure(error, backend.kind, backend.url);
  const connections = await connect(options);
  const producer = createWakeProducer(connections.sendWakes, clock, toFailure);
  const bus = createSignalBus({ transport: connections.transport, log, clock, random });
  const consumers = new Set<Consumer>();
  let closed: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    await Promise.all([...consumers].map((consumer) => consumer.drain(lastGraceMs)));
    producer.close();
    await bus.close();
    await connections.close();
  }

  return {
    wakes: {
      wake: producer.wake,
      rewake: producer.rewake,
      consume(run, concurrency) {
        if (role !== "worker") throw new GatewayError(`a ${role} does not run sessions`, { code: "unsupported" });
        if (closed !== undefined) throw new GatewayError("the queue is closed", { code: "aborted" });
        const consumer = startConsumer({ connections, wake: producer.wake, log, clock }, run, concurrency);
        consumers.add(consumer);
        return consumer;
      },
    },
    bus,
    ...(connections.rests === undefined ? {} : { rests: connections.rests }),
    async ping(signal) {
      try {
        await untilAborted(connections.ping(), signal);
      } catch (error) {
        throw toFailure(error);
      }
    },
    close() {
      closed ??= closeInTime(closeAll(), connections, log, clock);
      return closed;
    },
  };
}

/** Loads only the chosen backend's code: what is not imported costs an idle process no memory. */
async function connect({ backend, ...deps }: QueueOptions): Promise<Connections> {
  if (backend.kind === "redis") {
    const { connectRedis } = await import("./redis/connect.ts");
    return await connectRedis(backend.url, deps);
  }
  const { connectPostgres } = await import("./postgres/connect.ts");
  return await connectPostgres(backend.url, deps);
}

async function closeInTime(closing: Promise<void>, connections: Connections, log: Log, clock: Clock): Promise<void> {
  try {
    await within(closing, closeMs, clock, "the connections did not close in time");
  } catch (error) {
    log.warn({ reason: messageOf(error) }, "queue did not close in good order");
  } finally {
    connections.destroy();
  }
}
