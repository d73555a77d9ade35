import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { GatewayError, type Log } from "@talaria/protocol";
import pg from "pg";
import { connectionConfig, schema } from "./connection-config.ts";
import { databaseError } from "./database-error.ts";

const folder = new URL("./migrations/", import.meta.url);
/** Any number, the same in every release: starters wait for each other on it. */
const lockId = 7_420_001;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
}

/**
 * Brings the database to the version of this code. Idempotent and safe with many starters at once: the others wait.
 * Throws `unsupported` when the database is newer, or was migrated by files that read differently.
 */
export async function migrate(url: string, log: Log): Promise<void> {
  const migrations = await readMigrations();
  const client = new pg.Client({ ...connectionConfig(url), statement_timeout: 0, query_timeout: 0 });
  client.on("error", (error) => log.warn({ error }, "database connection lost"));
  try {
    await client.connect();
    await client.query("select pg_advisory_lock($1)", [lockId]);
    await prepareSchema(client);
    const applied = await readApplied(client);
    refuseStrangers(migrations, applied);
    for (const migration of migrations.slice(applied.length)) {
      await apply(client, migration);
      log.info({ version: migration.version, name: migration.name }, "database migrated");
    }
  } catch (error) {
    throw databaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(
    names.map(async (name, index) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      const checksum = createHash("sha256").update(sql).digest("hex");
      return { version: index + 1, name: name.replace(/\.sql$/, ""), checksum, sql };
    }),
  );
}

async function prepareSchema(client: pg.Client): Promise<void> {
  const found = await client.query("select to_regclass($1) as found", [`${schema}.migration`]);
  if (found.rows[0].found !== null) return;
  await client.query(`create schema if not exists ${schema}`);
  await client.query(
    `create table migration (
       version integer primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz not null default clock_timestamp()
     )`,
  );
}

async function readApplied(client: pg.Client): Promise<readonly { version: number; name: string; checksum: string }[]> {
  return (await client.query("select version, name, checksum from migration order by version")).rows;
}

function refuseStrangers(migrations: readonly Migration[], applied: Awaited<ReturnType<typeof readApplied>>): void {
  const newest = applied.at(-1)?.version ?? 0;
  if (newest > migrations.length) {
    throw new GatewayError(
      `The database is at version ${newest}, but this release knows versions up to ${migrations.length}: start the newer release that migrated it.`,
      { code: "unsupported", details: { databaseVersion: newest, codeVersion: migrations.length } },
    );
  }
  applied.forEach(({ version, name, checksum }, index) => {
    if (version === index + 1 && migrations[index]?.checksum === checksum) return;
    throw new GatewayError(`The database was migrated with another ${name} than this release has: use one release.`, {
      code: "unsupported",
      details: { databaseVersion: version },
    });
  });
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(migration.sql);
    await client.query("insert into migration (version, name, checksum) values ($1, $2, $3)", [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
