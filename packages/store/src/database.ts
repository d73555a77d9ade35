import { GatewayError, type Log } from "@talaria/protocol";
import pg from "pg";
import { createBatch } from "./batch.ts";
import { connectionConfig } from "./connection-config.ts";
import { databaseError, isContention, isDiskFull } from "./database-error.ts";
import { toText } from "./json.ts";

/** How often a statement runs that was undone by a deadlock. */
const maxAttempts = 4;

export type Value = string | number | boolean | null | Buffer | readonly string[] | readonly number[];

export interface Query {
  /** Present: prepared once per connection under this name. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly Value[];
}

/** A pool that speaks our schema. Everything rejects with a GatewayError. */
export interface Database {
  query<Row>(query: Query): Promise<readonly Row[]>;
  /** When a statement last found the server's disk full, by `performance.now()`. */
  lastDiskFull(): number | undefined;
  /** Waits for statements in progress. Repeatable. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly log: Log;
  readonly maxConnections: number;
}

export function openDatabase({ url, log, maxConnections }: DatabaseOptions): Database {
  const pool = new pg.Pool({ ...connectionConfig(url), max: maxConnections });
  // Without a listener a lost connection would end the process, whether it is idle or checked out.
  pool.on("connect", (client) => {
    client.on("error", (error) => log.warn({ error }, "database connection lost"));
  });
  pool.on("error", () => undefined);

  let ended: Promise<void> | undefined;
  let diskFullAt: number | undefined;

  async function attempt<Row>(query: Query, number: number): Promise<readonly Row[]> {
    try {
      const values = (query.values ?? []).map(clean);
      return (await pool.query({ ...query, values })).rows as Row[];
    } catch (error) {
      if (isContention(error) && number < maxAttempts) return await attempt(query, number + 1);
      if (isDiskFull(error)) diskFullAt = performance.now();
      throw databaseError(error);
    }
  }

  return {
    query: (query) => attempt(query, 1),
    lastDiskFull: () => diskFullAt,
    close: () => {
      ended ??= pool.end();
      return ended;
    },
  };
}

/**
 * One of our SQL functions that take a call as JSON and answer JSON. Calls that overlap share a round trip and a
 * transaction, ordered by session so that two processes cannot deadlock. A refused call throws `conflict`.
 */
export function sqlFunction<Answer>(
  database: Database,
  name: string,
  maxCalls?: number,
): (call: string) => Promise<Answer> {
  const text = `select call.n::integer as n, ${name}(call.item) as answer
    from (select item, n from jsonb_array_elements($1::jsonb) with ordinality as given (item, n)
           order by (item ->> 'sessionKey') collate "C", n) as call`;
  const run = createBatch(async (calls) => {
    const rows = await database.query<{ n: number; answer: unknown }>({ name, text, values: [`[${calls.join(",")}]`] });
    const answers: unknown[] = [];
    for (const row of rows) answers[row.n - 1] = row.answer;
    return answers;
  }, maxCalls);
  return async (call) => {
    const answer = await run(call);
    if (isRefusal(answer)) throw new GatewayError("somebody else holds the session now", { code: "conflict" });
    return answer as Answer;
  };
}

function clean(value: Value): Value {
  return typeof value === "string" ? toText(value) : value;
}

function isRefusal(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "conflict" in answer;
}
