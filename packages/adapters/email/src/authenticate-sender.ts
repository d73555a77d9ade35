import { canonicalDomain, domainOf } from "./addresses.ts";
import { type AuthenticationResults, type MethodResult, parseAuthenticationResults } from "./authentication-results.ts";
import type { Headers } from "./headers.ts";

export interface TrustSettings {
  readonly trustedAuthservId?: string | undefined;
  /** How many Received lines may stand above the server's own results. */
  readonly receivedAbove: number;
}

export interface SenderVerdict {
  readonly isAuthentic: boolean;
  /** What vouches for the sender, or why nothing does. */
  readonly because:
    | "dmarc"
    | "dkim"
    | "spf"
    | "nobody_trusted"
    | "no_results"
    | "unreadable_results"
    | "not_aligned"
    | "dmarc_failed";
  /** Below our server's part stands a field that bears its name: the server does not remove what senders forge. */
  readonly hasForeignResults: boolean;
}

/**
 * Whether our own mail server vouches for the domain of the author. Only its topmost Authentication-Results counts, and only
 * above what the sender could write: a sender's fields stand below the Received line of the server that took the mail.
 */
export function authenticateSender(headers: Headers, author: string, trust: TrustSettings): SenderVerdict {
  const id = trust.trustedAuthservId?.toLowerCase();
  if (id === undefined) return { isAuthentic: false, because: "nobody_trusted", hasForeignResults: false };
  let received = 0;
  let verdict: Pick<SenderVerdict, "isAuthentic" | "because"> | undefined;
  let hasForeignResults = false;
  for (const { name, value } of headers.fields) {
    if (name === "received") received += 1;
    if (name !== "authentication-results" || !bearsName(value, id)) continue;
    if (received > trust.receivedAbove) hasForeignResults = true;
    else verdict ??= judge(parseAuthenticationResults(value), domainOf(author));
  }
  return { ...(verdict ?? { isAuthentic: false, because: "no_results" }), hasForeignResults };
}

/** Also when the rest cannot be read: the topmost one decides, readable or not. */
function bearsName(value: string, id: string): boolean {
  const parsed = parseAuthenticationResults(value);
  return parsed === undefined ? value.toLowerCase().includes(id) : parsed.authservId === id;
}

function judge(
  results: AuthenticationResults | undefined,
  domain: string,
): Pick<SenderVerdict, "isAuthentic" | "because"> {
  if (results === undefined) return { isAuthentic: false, because: "unreadable_results" };
  const dmarc = results.methods.filter(({ method }) => method === "dmarc");
  const passed = (method: string, isAligned: (result: MethodResult) => boolean) =>
    results.methods.some((each) => each.method === method && each.result === "pass" && isAligned(each));
  if (dmarc.some(({ result }) => result !== "pass" && result !== "none"))
    return { isAuthentic: false, because: "dmarc_failed" };
  if (passed("dmarc", ({ properties }) => canonicalDomain(properties.get("header.from") ?? "") === domain))
    return { isAuthentic: true, because: "dmarc" };
  if (passed("dkim", ({ properties }) => isAligned(signerOf(properties), domain)))
    return { isAuthentic: true, because: "dkim" };
  if (passed("spf", ({ properties }) => isAligned(domainOf(properties.get("smtp.mailfrom") ?? ""), domain)))
    return { isAuthentic: true, because: "spf" };
  return { isAuthentic: false, because: "not_aligned" };
}

/** The domain that signed. `header.from` is what was signed, not who did it. */
function signerOf(properties: ReadonlyMap<string, string>): string {
  return properties.get("header.d") ?? domainOf(properties.get("header.i") ?? "");
}

/** The domain itself, or one above it: whoever owns `example.org` may speak for `mail.example.org`, not the reverse. */
function isAligned(signer: string, domain: string): boolean {
  const by = canonicalDomain(signer);
  return by !== undefined && (domain === by || domain.endsWith(`.${by}`));
}
