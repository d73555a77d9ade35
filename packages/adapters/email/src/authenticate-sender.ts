import { getDomain } from "tldts";
import { domainOf } from "./addresses.ts";
import {
  type AuthenticationResults,
  domainIn,
  type MethodResult,
  parseAuthenticationResults,
} from "./authentication-results.ts";
import type { Headers } from "./headers.ts";

export interface TrustSettings {
  readonly trustedAuthservId?: string | undefined;
  /** How many Received fields may stand above the server's own results. */
  readonly receivedAbove: number;
}

export interface SenderVerdict {
  readonly isAuthentic: boolean;
  /** Which method proved the sender's domain, or why none did. */
  readonly because:
    | "dmarc"
    | "dkim"
    | "spf"
    | "nobody_trusted"
    | "no_results"
    | "unreadable_results"
    | "not_aligned"
    | "dmarc_failed";
  /** A field with our server's name stands below our server's part of the header: the server does not remove forged ones. */
  readonly hasForeignResults: boolean;
}

/**
 * Whether our own mail server has proven the domain of the author. Only its topmost Authentication-Results counts, and only
 * above what the sender could write: a sender's fields stand below the Received field of the server that took the mail.
 */
export function authenticateSender(headers: Headers, author: string, trust: TrustSettings): SenderVerdict {
  const id = trust.trustedAuthservId?.toLowerCase();
  if (id === undefined) return { isAuthentic: false, because: "nobody_trusted", hasForeignResults: false };
  let received = 0;
  let verdict: Pick<SenderVerdict, "isAuthentic" | "because"> | undefined;
  let hasForeignResults = false;
  for (const { name, value } of headers.fields) {
    if (name === "received") received += 1;
    if (name !== "authentication-results") continue;
    const results = parseAuthenticationResults(value);
    if (!namesServer(results, value, id)) continue;
    if (received > trust.receivedAbove) hasForeignResults = true;
    else verdict ??= judge(results, domainOf(author));
  }
  return { ...(verdict ?? { isAuthentic: false, because: "no_results" }), hasForeignResults };
}

/** A field that can't be read counts too: the topmost one decides, readable or not. */
function namesServer(results: AuthenticationResults | undefined, value: string, id: string): boolean {
  return results === undefined ? value.toLowerCase().includes(id) : results.authservId === id;
}

function judge(
  results: AuthenticationResults | undefined,
  domain: string,
): Pick<SenderVerdict, "isAuthentic" | "because"> {
  if (results === undefined) return { isAuthentic: false, because: "unreadable_results" };
  const { methods } = results;
  if (methods.some(({ method, result }) => method === "dmarc" && result !== "pass" && result !== "none"))
    return { isAuthentic: false, because: "dmarc_failed" };
  const passed = methods.filter(({ result }) => result === "pass");
  const because = (["dmarc", "dkim", "spf"] as const).find((method) =>
    passed.some((one) => one.method === method && isAligned(provenDomain(one), domain, method)),
  );
  return because === undefined ? { isAuthentic: false, because: "not_aligned" } : { isAuthentic: true, because };
}

/** The domain that a passed result is about. `header.from` of a signature is what was signed, not who signed it. */
function provenDomain({ method, properties }: MethodResult): string | undefined {
  if (method === "spf") return domainIn(properties.get("smtp.mailfrom") ?? "");
  // Properties of the envelope belong to SPF. Here they mean that a sender's words ended the comment they were copied into.
  if ([...properties.keys()].some((name) => name.startsWith("smtp."))) return undefined;
  if (method === "dmarc") return domainIn(properties.get("header.from") ?? "");
  return domainIn(properties.get("header.d") ?? properties.get("header.i") ?? "");
}

/**
 * DMARC names the author's domain itself. A signature or an envelope is aligned as RFC 7489, section 3.1, has it in relaxed
 * mode: its organisational domain is the author's, so `bounce.example.org` and `example.org` speak for each other. A domain that
 * publishes a stricter rule is kept to it by our server, whose `dmarc=fail` comes first.
 */
function isAligned(proven: string | undefined, domain: string, method: MethodResult["method"]): boolean {
  if (proven === undefined) return false;
  if (proven === domain) return true;
  return (
    method !== "dmarc" && organisationOf(proven) !== undefined && organisationOf(proven) === organisationOf(domain)
  );
}

/**
 * The name that somebody registered below a public suffix such as `co.uk` or `github.io` (RFC 7489, section 3.2). Undefined for a
 * suffix, which speaks for itself alone, and for an address of a machine.
 */
function organisationOf(domain: string): string | undefined {
  return getDomain(domain, { allowPrivateDomains: true }) ?? undefined;
}
