import { outOfConnections } from "@talaria/protocol";
import { type TryAgainOptions, tryAgain } from "./try-again.ts";

/**
 * What passes by itself: no connection is free, or the server is starting or shutting down (SQLSTATE, errcodes-appendix of
 * PostgreSQL's documentation). A refused login and a missing database are no such thing.
 */
const passing: Readonly<Record<string, string>> = {
  [outOfConnections.sqlState]: `the database ${outOfConnections.words}`,
  "57P01": "the database is shutting down: start its server again, or look at that server's log",
  "57P03": "the database is starting or shutting down: if that does not end, look at its server's log",
};

/** Causes of causes are looked at so far. */
const deepest = 4;

/** Does `work` again while the database can't take it for now, as `tryAgain` does. `pause` waits so many ms. */
export function awaitDatabase<Result>(
  work: () => Promise<Result>,
  say: (line: string) => void,
  pause?: TryAgainOptions["pause"],
): Promise<Result> {
  return tryAgain(work, { reasonOf: databaseReason, say, ...(pause && { pause }) });
}

/** Why a failure of the database passes by itself, as one sentence with the remedy; undefined: it does not. */
export function databaseReason(error: unknown): string | undefined {
  let one = error;
  for (let depth = 0; depth < deepest && one instanceof Error; depth += 1, one = one.cause) {
    // What reaches us from another process carries words only.
    if (one.message.includes(outOfConnections.words)) return passing[outOfConnections.sqlState];
    const reason = passing[codeOf(one) ?? ""];
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
