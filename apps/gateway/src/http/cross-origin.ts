import type { IncomingHttpHeaders } from "node:http";
import type { AccessRules } from "./access.ts";

/** A browser remembers for so long what a page may call. */
const preflightSeconds = "600";

/** The method that a page of a listed origin asks leave for before it calls; undefined for any other request. */
export function checkPreflight(method: string, headers: IncomingHttpHeaders, rules: AccessRules): string | undefined {
  const isListed = headers.origin !== undefined && rules.origins.has(headers.origin);
  return method === "OPTIONS" && isListed ? headers["access-control-request-method"] : undefined;
}

/** What lets pages of listed origins call and read answers. Pages of our own origin need none of it. */
export function crossOriginHeaders({ origin }: IncomingHttpHeaders, rules: AccessRules): Record<string, string> {
  if (origin === undefined || !rules.origins.has(origin)) return { vary: "origin" };
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "authorization, content-type, last-event-id",
    "access-control-max-age": preflightSeconds,
  };
}
