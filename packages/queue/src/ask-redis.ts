import { backendFailure } from "./failures.ts";

/** Gives one command on a connection of its own. Rejects with a GatewayError that holds no password. */
export async function askRedis(url: string, command: string, ...args: readonly string[]): Promise<unknown> {
  const { Redis } = await import("ioredis");
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await client.call(command, ...args);
  } catch (error) {
    throw backendFailure(error, "redis", url);
  } finally {
    client.disconnect();
  }
}
