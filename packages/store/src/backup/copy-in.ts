import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GatewayError } from "@talaria/protocol";
import pg from "pg";
import { from } from "pg-copy-streams";
import { connectionConfig, schema } from "../database/connection-config.ts";
import { databaseError } from "../database/database-error.ts";
import { applyMigration, prepareSchema } from "../schema/migrate.ts";
import { readSqlSource } from "../schema/sql-source.ts";
import { readApplied } from "../schema/versions.ts";
import type { DatabaseCopy } from "./copy-out.ts";
import { tablesToCopy, tableText } from "./tables.ts";

/**
 * Throws `unsupported` unless this release has the migrations that a copy comes from.
 */
export function refuseUnknownCopy({ migrations }: Pick<DatabaseCopy, "migrations">): void {
  const known = readSqlSource().migrations;
  if (migrations.length > known.length)
    throw refusal(
      `the backup is at version ${migrations.length} of the database, but this release knows versions up to ${known.length}: restore it with the release that made it, or a later one`,
    );
  const other = migrations.find(({ checksum }, index) => known[index]?.checksum !== checksum);
  if (other !== undefined)
    throw refusal(
      `the backup comes from another ${other.name} than this release has: restore it with the release that made it`,
    );
}

/**
 * Fills a database that has no tables of ours with a copy, in one transaction: everything or nothing. `url` is the address of the
 * owner. The tables are those of the copy's release: `migrate` brings them up to date. Throws `unsupported` for a database that is
 * not empty, and for a copy that this release doesn't know.
 */
export async function restoreDatabase(
  url: string,
  copy: DatabaseCopy,
  rowsOf: (table: string) => Readable,
  signal: AbortSignal,
): Promise<void> {
  refuseUnknownCopy(copy);
  const client = new pg.Client({ ...connectionConfig(url), query_timeout: 0, idle_in_transaction_session_timeout: 0 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("set statement_timeout = 0");
    if ((await readApplied(client)).length > 0)
      throw refusal("the database has tables of Talaria already: restore into an empty one");
    await client.query("begin");
    await prepareSchema(client);
    for (const migration of readSqlSource().migrations.slice(0, copy.migrations.length))
      await applyMigration(client, migration);
    await fill(client, copy, rowsOf, signal);
    await client.query("commit");
  } catch (error) {
    signal.throwIfAborted();
    throw databaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function fill(
  client: pg.Client,
  copy: DatabaseCopy,
  rowsOf: (table: string) => Readable,
  signal: AbortSignal,
): Promise<void> {
  const tables = await tablesToCopy(client);
  const shape = (of: typeof tables) => JSON.stringify(of.map(({ name, columns }) => [name, [...columns].sort()]));
  if (shape(tables) !== shape(copy.tables)) throw refusal("the backup's tables are not those of its migrations");
  // Migrations put rows into some of them.
  const names = tables.map(({ name }) => `${schema}.${client.escapeIdentifier(name)}`);
  await client.query(`truncate ${names.join(", ")}`);
  for (const table of copy.tables)
    await pipeline(rowsOf(table.name), client.query(from(`copy ${tableText(client, table)} from stdin`)), { signal });
  for (const [name, last] of Object.entries(copy.sequences))
    await client.query("select setval($1::regclass, $2::bigint)", [`${schema}.${client.escapeIdentifier(name)}`, last]);
}

function refusal(message: string): GatewayError {
  return new GatewayError(message, { code: "unsupported", effect: "none" });
}
