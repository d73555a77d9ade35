import type { Clock, Log } from "@talaria/protocol";
import pg from "pg";
import { connectionConfig } from "./connection-config.ts";
import { databaseError, isContention, isDiskFull } from "./database-error.ts";
import { toText } from "./json.ts";

/** How often a statement runs when deadlocks roll it back. */
const maxAttempts = 4;

export type Value = string | number | boolean | null | Buffer | readonly string[] | readonly number[];

export interface Query {
  /** When present, the statement is prepared under this name, once per connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly Value[];
}

/** A connection pool for our schema. Every rejection is a GatewayError. */
export interface Database {
  query<Row>(query: Query): Promise<readonly Row[]>;
  /** When a statement last found the server's disk full, by this process's clock. */
  lastDiskFull(): number | undefined;
  /** Waits for statements in progress. Repeatable. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly log: Log;
  readonly clock: Pick<Clock, "elapsed">;
  readonly maxConnections: number;
  /** The schema whose functions statements call. */
  readonly functions?: string;
  /** Time limit of one statement. Default: 15 seconds. */
  readonly statementMs?: number;
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, log, clock, maxConnections, functions, statementMs } = options;
  const pool = new pg.Pool({ ...connectionConfig(url, functions, statementMs), max: maxConnections });
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
      if (isDiskFull(error)) diskFullAt = clock.elapsed();
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

function clean(value: Value): Value {
  return typeof value === "string" ? toText(value) : value;
}
