import { GatewayError, isGatewayError, outOfConnections } from "@talaria/protocol";

/**
 * Turns what a client library threw into a GatewayError whose sentence says what happened and where. The original is
 * reduced to its message and its code, because errors of a Redis client carry the command, and so the password.
 */
export function backendFailure(error: unknown, backend: "redis" | "postgres", url: string): GatewayError {
  if (isGatewayError(error)) return error;
  const place = `${backend} at ${addressOf(url)}`;
  const cause = Object.assign(new Error(messageOf(error)), { code: codeOf(error) });
  if (isRefusedLogin(error)) return new GatewayError(`${place} refused the login`, { code: "unauthorized", cause });
  if (codeOf(error) === outOfConnections.sqlState)
    return new GatewayError(`${place} ${outOfConnections.words}`, { code: "unavailable", cause });
  return new GatewayError(`${place} is not available: ${cause.message}`, { code: "unavailable", cause });
}

/**
 * Host, port and database of a URL, or the folder of its Unix socket, without the credentials. Throws `invalid_request`
 * without repeating the URL.
 */
export function addressOf(url: string): string {
  const { host, pathname, searchParams } = parseUrl(url);
  return `${searchParams.get("host") ?? host}${pathname === "/" ? "" : pathname}`;
}

/** Throws `invalid_request` for what is not a URL; the error does not repeat it, since it may hold a password. */
export function parseUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null) throw new GatewayError("the queue's address is not a URL", { code: "invalid_request" });
  return parsed;
}

/** One line that is never empty: a failed connection to `localhost` is an AggregateError without a message. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}

const postgresLoginCodes: readonly unknown[] = ["28P01", "28000"];

function isRefusedLogin(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (postgresLoginCodes.includes(codeOf(error))) return true;
  return /^(NOAUTH|WRONGPASS|NOPERM)\b|invalid (username-)?password|without any password configured/i.test(
    error.message,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
