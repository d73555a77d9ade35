import { type ErrorCode, GatewayError } from "@talaria/protocol";

/** What an http status other than success means when the platform says no more. */
export function codeOfStatus(status: number): ErrorCode {
  return status >= 500 ? "unavailable" : (codes[status] ?? "invalid_request");
}

/**
 * A request that brought no answer, as `unavailable`. The effect is none where `network`, a code such as ECONNREFUSED, says
 * that no connection stood, else unknown. Nothing of the error itself becomes part of it: that may quote people.
 */
export function unreachable(platform: string, action: string, network: string | undefined): GatewayError {
  return new GatewayError(`${platform} could not be reached for ${action} (${network ?? "no answer"})`, {
    code: "unavailable",
    effect: network !== undefined && neverSent.has(network) ? "none" : "unknown",
    ...(network === undefined ? {} : { details: { network } }),
  });
}

/** A foreign 429 that does not say how long. */
const usualPauseMs = 1_000;

/**
 * An answer that is not the platform's: what stands before it gave it, such as a proxy or a firewall. Below 500 nothing was passed on, so
 * the effect is none, and it says nothing of a chat or a token, so that whoever called may call again; from 500 on, and for a success that
 * is none, the effect is unknown. `retryAfter` is the header in seconds, anything else counts as one second.
 */
export function foreignAnswer(
  platform: string,
  action: string,
  status: number,
  retryAfter?: string | null,
): GatewayError {
  const message = `something before ${platform} answered ${action} with ${status}`;
  if (status === 413) return new GatewayError(message, { code: "too_large", details: { status } });
  if (status === 429) {
    const seconds = Number(retryAfter);
    const retryAfterMs = seconds > 0 ? seconds * 1_000 : usualPauseMs;
    return new GatewayError(message, { code: "rate_limited", retryAfterMs, details: { status } });
  }
  const effect = status >= 400 && status < 500 ? "none" : "unknown";
  return new GatewayError(message, { code: "unavailable", effect, details: { status } });
}

/** The code of a failed connection, such as ECONNREFUSED. `fetch` and most libraries hide it in the cause of their error. */
export function networkCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code = "code" in error ? error.code : undefined;
  if (typeof code === "string" && /^[A-Z0-9_]{2,40}$/.test(code)) return code;
  return "cause" in error ? networkCodeOf(error.cause) : undefined;
}

const codes: Readonly<Record<number, ErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  410: "not_found",
  413: "too_large",
  429: "rate_limited",
};

/**
 * Codes of failures before a connection stood. Node.js looks at a certificate before it sends anything
 * (nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "CERT_CHAIN_TOO_LONG",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
