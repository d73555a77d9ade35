import type { TranscriptEntry } from "@talaria/agent";
import pg from "pg";

/** All entries of a session, oldest first, also those of memories that it has left. */
export async function entriesOf(databaseUrl: string, key: string): Promise<readonly TranscriptEntry[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const query = "select body from talaria.entry where session_key = $1 order by id";
    return (await client.query<{ body: TranscriptEntry }>(query, [key])).rows.map(({ body }) => body);
  } finally {
    await client.end();
  }
}
