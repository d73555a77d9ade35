import type { Clock } from "@talaria/protocol";
import {
  assertSchemaCompatibility,
  type PgPool,
  PostgresConnection,
  PostgresQueueBackend,
  type QueueBaseOptions,
  withBackend,
} from "bullmq";
import { queueSchema } from "./settings.ts";

const longestBlockSeconds = 5;
const pauseAfterFailureMs = 250;

/** BullMQ's classes on a pool that others use too and that closing them leaves open. */
export function queueClasses(clock: Clock) {
  return withBackend(
    (name: string, options: QueueBaseOptions<PgPool>) =>
      new WakeBackend(new SharedConnection(options.connection), name, options, clock),
  );
}

/** Given a pool, BullMQ assumes its default schema; and it would keep a first failed look at the tables for ever. */
class SharedConnection extends PostgresConnection {
  override readonly schema: string = queueSchema;
  #checked: Promise<void> | undefined;

  override async waitUntilReady(): Promise<void> {
    this.#checked ??= this.#check();
    try {
      await this.#checked;
    } catch (error) {
      this.#checked = undefined;
      throw error;
    }
  }

  async #check(): Promise<void> {
    const client = await this.pool.connect();
    try {
      await assertSchemaCompatibility(client, queueSchema);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

class WakeBackend extends PostgresQueueBackend {
  readonly #clock: Clock;

  constructor(connection: PostgresConnection, name: string, options: QueueBaseOptions<PgPool>, clock: Clock) {
    super(connection, name, options);
    this.#clock = clock;
  }

  /** After an error BullMQ would trust notifications alone for up to an hour. */
  override get maximumBlockTimeout(): number {
    return longestBlockSeconds;
  }

  /** A server that is full or still starting would be asked again at once, without end. */
  override async moveToActive(
    ...args: Parameters<PostgresQueueBackend["moveToActive"]>
  ): ReturnType<PostgresQueueBackend["moveToActive"]> {
    try {
      return await super.moveToActive(...args);
    } catch (error) {
      await this.#clock.sleep(pauseAfterFailureMs);
      throw error;
    }
  }
}
