import type { Readable } from "node:stream";
import pg from "pg";
import { to } from "pg-copy-streams";
import { connectionConfig, schema } from "../database/connection-config.ts";
import { databaseError } from "../database/database-error.ts";
import { readSqlSource } from "../schema/sql-source.ts";
import { readApplied, refuseOutdated, refuseUnreadable } from "../schema/versions.ts";
import { type CopiedTable, tablesToCopy, tableText } from "./tables.ts";

/** What a copy of the database needs beside its rows. Plain JSON. */
export interface DatabaseCopy {
  /** Names and checksums of the migrations that its tables come from, the first one first. */
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly tables: readonly CopiedTable[];
  /** The last number that each sequence has given out, as text. */
  readonly sequences: Readonly<Record<string, string>>;
}

/**
 * Reads every table as it is at one moment, while others write; `each` takes one after another, in PostgreSQL's text form of `copy`, to
 * its end. Throws `unsupported` when this release can't work with the database.
 */
export async function copyDatabase(
  url: string,
  each: (table: string, rows: Readable) => Promise<void>,
  signal: AbortSignal,
): Promise<DatabaseCopy> {
  const client = new pg.Client({
    ...connectionConfig(url),
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  client.on("error", () => undefined);
  const abort = () => void client.end().catch(() => undefined);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect();
    await client.query("set statement_timeout = 0");
    await client.query("begin isolation level repeatable read read only");
    const applied = await readApplied(client);
    const { migrations } = readSqlSource();
    refuseUnreadable(migrations, applied);
    refuseOutdated(migrations, applied);
    const tables = await tablesToCopy(client);
    for (const table of tables) {
      const rows = client.query(to(`copy ${tableText(client, table)} to stdout`));
      await each(table.name, rows);
    }
    // They are of no snapshot: now they are at least as far as the rows.
    const sequences = await client.query<{ name: string; last: string }>(
      "select sequencename as name, last_value::text as last from pg_sequences where schemaname = $1 and last_value is not null",
      [schema],
    );
    await client.query("commit");
    return {
      sequences: Object.fromEntries(sequences.rows.map(({ name, last }) => [name, last])),
      migrations: applied.map(({ name, checksum }) => ({ name, checksum })),
      tables,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw databaseError(error);
  } finally {
    signal.removeEventListener("abort", abort);
    await client.end().catch(() => undefined);
  }
}
