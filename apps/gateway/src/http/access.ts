import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { equalSecrets } from "@talaria/adapter-kit";

export interface AccessRules {
  readonly token: string;
  /** Lower-case host names, without port, that this gateway answers to; undefined: any. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** Origins of other pages that may call. */
  readonly origins: ReadonlySet<string>;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
}

/**
 * Guards what carries the operator's rights: API and console. A foreign `Host` is a rebound name, a foreign
 * `Origin` is somebody else's page. There are no cookies, so a page can't borrow a login.
 */
export function checkBrowser(headers: IncomingHttpHeaders, rules: AccessRules): Refusal | undefined {
  const host = headers.host?.toLowerCase();
  if (host === undefined || (rules.hosts !== undefined && !rules.hosts.has(nameOf(host))))
    return { status: 403, error: "this host name is not served here; see gateway.allowedHosts" };
  const { origin } = headers;
  if (origin === undefined || rules.origins.has(origin)) return undefined;
  return URL.canParse(origin) && new URL(origin).host === host
    ? undefined
    : { status: 403, error: "this origin may not call; see gateway.allowedOrigins" };
}

/**
 * Guards what a probe asks for without a token. Probes may use an IP address, which no page can make a browser send in place
 * of its own name.
 */
export function checkProbe(headers: IncomingHttpHeaders, rules: AccessRules): Refusal | undefined {
  const name = nameOf(headers.host ?? "");
  return isIP(name.replace(/^\[|\]$/g, "")) > 0 && headers.origin === undefined
    ? undefined
    : checkBrowser(headers, rules);
}

export function checkToken(headers: IncomingHttpHeaders, rules: AccessRules): Refusal | undefined {
  const given = bearerOf(headers);
  if (given === undefined) return { status: 401, error: "a bearer token is needed: `talaria token show` prints it" };
  if (equalSecrets(given, rules.token)) return undefined;
  return { status: 401, error: "this token is not valid, or no longer: `talaria token show` prints the one that is" };
}

export function bearerOf({ authorization = "" }: IncomingHttpHeaders): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1];
}

/** The name in a `Host` header or in the configuration: in lower case, without port and final dot. */
export function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
}
