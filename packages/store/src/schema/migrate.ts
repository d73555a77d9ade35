import type { Log } from "@talaria/protocol";
import pg from "pg";
import { connectionConfig, schema } from "../database/connection-config.ts";
import { databaseError, isContention } from "../database/database-error.ts";
import { dropUnusedFunctions, installFunctions, lockId, noteUse } from "./function-sets.ts";
import { type Migration, readSqlSource, type SqlSource } from "./sql-source.ts";
import { readApplied, refuseUnreadable } from "./versions.ts";

/** Each takes the second after which PostgreSQL looks for a deadlock. */
const mostAttempts = 20;

/**
 * Brings the database to the version of this code, installs its functions, and drops those that nobody uses any more.
 * Idempotent and safe with many starters at once: the others wait. Throws `unsupported`, and has changed nothing, when this
 * release cannot work with the database. `isNewer`: a newer release has migrated it, which this one can work with.
 */
export async function migrate(
  url: string,
  log: Log,
  source: SqlSource = readSqlSource(),
): Promise<{ readonly isNewer: boolean }> {
  const client = new pg.Client({ ...connectionConfig(url), query_timeout: 0 });
  client.on("error", (error) => log.warn({ error }, "database connection lost"));
  try {
    await client.connect();
    // As a setting of the connection 0 would not be sent, and a limit of the role or database would hold.
    await client.query("set statement_timeout = 0");
    await client.query("select pg_advisory_lock($1)", [lockId]);
    const applied = await readApplied(client);
    refuseUnreadable(source.migrations, applied);
    await prepareSchema(client);
    for (const migration of source.migrations.slice(applied.length)) {
      await apply(client, migration);
      log.info({ version: migration.version, name: migration.name }, "database migrated");
    }
    await client.query(installFunctions(source.functions));
    await client.query(noteUse(source.functions));
    await client.query(dropUnusedFunctions);
    return { isNewer: applied.length > source.migrations.length };
  } catch (error) {
    throw databaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The schema, and the table that says what was applied. */
export async function prepareSchema(client: pg.Client): Promise<void> {
  await client.query(`create schema if not exists ${schema}`);
  await client.query(
    `create table if not exists migration (
       version integer primary key,
       name text not null,
       checksum text not null,
       readable_by integer not null,
       applied_at timestamptz not null default clock_timestamp()
     )`,
  );
}

/** In the transaction of the caller. */
export async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(migration.sql);
  await client.query("insert into migration (version, name, checksum, readable_by) values ($1, $2, $3, $4)", [
    migration.version,
    migration.name,
    migration.checksum,
    migration.readableBy,
  ]);
}

/** One that meets another release's work on the same tables may be undone for it; it is tried again then. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query("begin");
    try {
      await applyMigration(client, migration);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      if (!isContention(error) || attempt === mostAttempts) throw error;
    }
  }
}
