import { Redis, type RedisOptions } from "ioredis";

export type ClientOptions = Omit<RedisOptions, "replyMapping">;

/**
 * A connection that can be ended at any time. A plain client whose `disconnect` is called while it waits between
 * two reconnection attempts neither ends nor rejects pending calls.
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
