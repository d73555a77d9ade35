import { runMigrations } from "bullmq";
import pg from "pg";
import { backendFailure } from "../failures.ts";
import { connectionSettings, queueSchema } from "./settings.ts";

/** Takes turns with other starters by an advisory lock, in one transaction. */
export async function migratePostgres(url: string): Promise<void> {
  const { query_timeout: _bounded, ...settings } = connectionSettings(url, "talaria queue migration");
  const client = new pg.Client(settings);
  client.on("error", () => undefined);
  try {
    await client.connect();
    await runMigrations(client, queueSchema);
  } catch (error) {
    throw backendFailure(error, "postgres", url);
  } finally {
    await client.end().catch(() => undefined);
  }
}
