import type { PoolConfig } from "pg";

/** The schema of all our tables. */
export const schema = "talaria";

const connectMs = 5_000;
/** The server cancels a statement after this time; the client gives up on a silent server a little later. */
const defaultStatementMs = 15_000;
const graceMs = 5_000;

/**
 * `functions` is the schema whose functions the connection calls. A connection string's own `options` would replace our
 * search_path, so both are put together here.
 */
export function connectionConfig(url: string, functions?: string, statementMs = defaultStatementMs): PoolConfig {
  const [connectionString, theirs] = splitOptions(url);
  const searchPath = functions === undefined ? schema : `${functions},${schema}`;
  return {
    connectionString,
    application_name: "talaria",
    // A plan made while a table was small must not stay in use when it has grown. Compiling plans costs more than it saves.
    options: [theirs, `-c search_path=${searchPath}`, "-c enable_seqscan=off", "-c jit=off"].filter(Boolean).join(" "),
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + graceMs,
    idle_in_transaction_session_timeout: statementMs + graceMs,
    keepAlive: true,
  };
}

function splitOptions(url: string): readonly [string, string | null] {
  if (!url.includes("options=")) return [url, null];
  const target = new URL(url);
  const options = target.searchParams.get("options");
  target.searchParams.delete("options");
  return [target.href, options];
}
