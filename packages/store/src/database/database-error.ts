import { GatewayError, isGatewayError, outOfConnections } from "@talaria/protocol";

/** Converts the error of a query: `unavailable` when the server is unreachable or overloaded, otherwise `internal`. */
export function databaseError(error: unknown): GatewayError {
  if (isGatewayError(error)) return error;
  const code = codeOf(error);
  if (code === outOfConnections.sqlState) {
    const message = `the database ${outOfConnections.words}`;
    return new GatewayError(message, { code: "unavailable", effect: "none", cause: error });
  }
  if (code !== undefined && refusedConnection.has(code)) {
    return new GatewayError("the database does not answer", { code: "unavailable", effect: "none", cause: error });
  }
  if (code === "25006") {
    return new GatewayError("the database is read-only", { code: "unavailable", effect: "none", cause: error });
  }
  if (isAway(error, code)) {
    const message = code === diskFull ? "the disk of the database is full" : "the database is away";
    return new GatewayError(message, { code: "unavailable", cause: error });
  }
  if (isContention(error) || code === lockTimeout) {
    return new GatewayError("the database is too busy", { code: "unavailable", effect: "none", cause: error });
  }
  if (code === "28P01" || code === "28000") {
    return new GatewayError("the database refuses the login", { code: "unauthorized", cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new GatewayError(`the database refused a statement: ${message}`, { code: "internal", cause: error });
}

/** A serialisation failure or deadlock: the transaction was rolled back and may run again. */
export function isContention(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40001" || code === "40P01";
}

/** The server's disk is full. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === diskFull;
}

/** The statement timed out waiting for a lock and was rolled back. Takes the result of `databaseError`. */
export function isLockedOut(error: unknown): boolean {
  return sqlStateOf(error) === lockTimeout;
}

/** The server runs and answered that it has no connection left. Takes the result of `databaseError`. */
export function isOutOfConnections(error: unknown): boolean {
  return sqlStateOf(error) === outOfConnections.sqlState;
}

const diskFull = "53100";
const lockTimeout = "55P03";

/** The connection could not be made, so nothing was sent. */
const refusedConnection = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENOENT", "EAGAIN", "57P03"]);

const brokenConnection = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);

/** Connection, resource, operator and system errors. 57014 is our own statement timeout. */
const awayClasses = ["08", "53", "57", "58"];

function isAway(error: unknown, code: string | undefined): boolean {
  if (code === undefined) return error instanceof Error && /connection|timeout|socket/i.test(error.message);
  return brokenConnection.has(code) || (code.length === 5 && awayClasses.some((prefix) => code.startsWith(prefix)));
}

/** The SQLSTATE of the error that this one was made from. */
export function sqlStateOf(error: unknown): string | undefined {
  return codeOf(error instanceof Error ? error.cause : undefined);
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
