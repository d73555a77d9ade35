import { Client } from "pg";

export const databaseName = "talaria";

/** Creates the database `talaria` unless it exists. Callers take care that only one of them does so at a time. */
export async function ensureDatabase(urlOf: (database: string) => string): Promise<void> {
  try {
    await query(urlOf(databaseName), "select 1");
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "3D000";
    if (!missing) throw error;
    await query(urlOf("postgres"), `create database ${databaseName}`);
  }
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({
    connectionString: url,
    application_name: "talaria launcher",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
