import { Redis, type RedisOptions } from "ioredis";

export type ClientOptions = Omit<RedisOptions, "replyMapping">;

/**
 * A connection that can be ended at any time. A plain client that is told to disconnect while it waits between two
 * attempts to reconnect neither ends nor rejects what waits for it.
 */
export class RedisClient extends Redis {
  override disconnect(reconnect = false): void {
    const isBetweenAttempts = this.status === "reconnecting";
    super.disconnect(reconnect);
    if (!isBetweenAttempts || reconnect) return;
    this.connect().catch(() => undefined);
    super.disconnect();
  }
}
