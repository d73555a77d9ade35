import type { IncomingHttpHeaders } from "node:http";
import type { AccessRules } from "./access.ts";

/** How long a browser caches what a page may call. */
const preflightSeconds = "600";

/** The method that a preflight request from an allowed origin asks for; undefined for any other request. */
export function checkPreflight(method: string, headers: IncomingHttpHeaders, rules: AccessRules): string | undefined {
  const isListed = headers.origin !== undefined && rules.origins.has(headers.origin);
  return method === "OPTIONS" && isListed ? headers["access-control-request-method"] : undefined;
}

/** Headers that let pages of allowed origins call the API and read responses. Pages of our own origin need none. */
export function crossOriginHeaders({ origin }: IncomingHttpHeaders, rules: AccessRules): Record<string, string> {
  if (origin === undefined || !rules.origins.has(origin)) return { vary: "origin" };
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, PATCH, DELETE",
    "access-control-allow-headers": "authorization, content-type, last-event-id",
    "access-control-max-age": preflightSeconds,
  };
}
