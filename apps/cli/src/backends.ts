import type { TalariaConfig } from "@talaria/config";
import type { QueueBackend } from "@talaria/queue";

/** The address of the database. `embedded` is that of the embedded server, when it runs. */
export function databaseUrlOf(config: TalariaConfig, embedded: string | undefined): string {
  if (config.database.kind === "postgres") return config.database.url.reveal();
  if (embedded !== undefined) return embedded;
  throw new Error("no database: set DATABASE_URL, or run `talaria start`, which starts an embedded one");
}

export function queueBackendOf(config: TalariaConfig, databaseUrl: string): QueueBackend {
  return config.redis.kind === "redis"
    ? { kind: "redis", url: config.redis.url.reveal() }
    : { kind: "postgres", url: databaseUrl };
}
