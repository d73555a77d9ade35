import type { ClientConfig } from "pg";
import { parseUrl } from "../failures.ts";

/** The queue's own schema beside the application's tables. */
export const queueSchema = "talaria_queue";

const keepAliveMs = 10_000;
const connectMs = 5_000;
/** No query of the queue takes this long; one that does has lost its server. */
const queryMs = 15_000;

/** Nothing it writes has to survive a crash of the server. The client alone bounds a query, not a limit of the role or database. */
const ours = ["-c synchronous_commit=off", "-c statement_timeout=0"];

/**
 * How each connection of the queue is made. The schema travels as a start-up option; options that the URL brings are kept, where
 * the client alone would let them replace ours.
 */
export function connectionSettings(url: string, applicationName: string): ClientConfig {
  const parsed = parseUrl(url);
  const options = [parsed.searchParams.get("options"), `-c search_path=${queueSchema}`, ...ours]
    .filter(Boolean)
    .join(" ");
  parsed.searchParams.delete("options");
  return {
    connectionString: parsed.href,
    options,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
  };
}
