import pg from "pg";
import { backendFailure } from "../failures.ts";
import { restTable } from "./rests.ts";
import { connectionSettings, queueSchema } from "./settings.ts";
import { wakeTable } from "./wake-table.ts";

/** Any number, the same in every release: starters wait for each other on it. */
const lockId = 7_420_002;

/** One transaction, in which other starters wait. */
export async function migratePostgres(url: string): Promise<void> {
  const { query_timeout: _bounded, ...settings } = connectionSettings(url, "talaria queue migration");
  const client = new pg.Client(settings);
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(
      `select pg_advisory_xact_lock(${lockId}); create schema if not exists ${queueSchema}; ${wakeTable}; ${restTable}`,
    );
  } catch (error) {
    throw backendFailure(error, "postgres", url);
  } finally {
    await client.end().catch(() => undefined);
  }
}
