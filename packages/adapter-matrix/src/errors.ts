import { type ErrorCode, GatewayError } from "@talaria/protocol";
import { ConnectionError, HTTPError, MatrixError, safeGetRetryAfterMs } from "matrix-js-sdk/lib/http-api/errors.js";
import { z } from "zod";

const errorBody = z.object({
  errcode: z.string().max(100).catch(""),
  soft_logout: z.boolean().optional().catch(undefined),
  /** In which a password has to be given (specification, user-interactive authentication). */
  session: z.string().max(300).optional().catch(undefined),
});

/** How long to wait when a homeserver limits us and does not say for how long. */
const defaultRetryMs = 1_000;

/** What a call threw: an error of matrix-js-sdk, or what ended an answer before it was complete. */
export function toGatewayError(error: unknown, action: string, signal: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof HTTPError && error.httpStatus !== undefined) return toAnswerError(error, action);
  if (error instanceof SyntaxError)
    return new GatewayError(`the homeserver answered ${action} with something else than JSON`, { code: "unavailable" });
  if (signal.aborted) return new GatewayError(`${action} was aborted`, { code: "aborted" });
  const network = networkCodeOf(error);
  return new GatewayError(`the homeserver could not be reached for ${action} (${network ?? "no answer"})`, {
    code: "unavailable",
    effect: network !== undefined && neverSent.has(network) ? "none" : "unknown",
    ...(network === undefined ? {} : { details: { network } }),
  });
}

/** A homeserver's answer to a failed call. Its `error` sentence may quote people: only the errcode is kept. */
function toAnswerError(error: HTTPError, action: string): GatewayError {
  const status = error.httpStatus ?? 0;
  const body: unknown = error instanceof MatrixError ? error.data : undefined;
  const { errcode, soft_logout, session } = errorBody.catch({ errcode: "" }).parse(body);
  const code = codeOf[errcode] ?? codeOfStatus(status);
  return new GatewayError(`the homeserver answered ${action} with ${status} ${safeCode(errcode)}`.trim(), {
    code,
    details: {
      status,
      errcode: safeCode(errcode),
      ...(soft_logout === true && { softLogout: true }),
      ...(session !== undefined && { uiaSession: session }),
    },
    ...(code === "rate_limited" && { retryAfterMs: Math.max(0, safeGetRetryAfterMs(error, defaultRetryMs)) }),
  });
}

/** The errcode of a homeserver's answer, as `M_NOT_FOUND`. */
export function errcodeOf(error: unknown): string | undefined {
  return error instanceof GatewayError ? String(error.details.errcode ?? "") || undefined : undefined;
}

function safeCode(errcode: string): string {
  return /^[A-Z0-9_.]{1,60}$/.test(errcode) ? errcode : "";
}

/** Codes that say more than the status (specification, common and other error codes). */
const codeOf: Readonly<Record<string, ErrorCode>> = {
  M_UNKNOWN_TOKEN: "unauthorized",
  M_MISSING_TOKEN: "unauthorized",
  M_USER_DEACTIVATED: "unauthorized",
  M_USER_LOCKED: "unauthorized",
  M_FORBIDDEN: "forbidden",
  M_GUEST_ACCESS_FORBIDDEN: "forbidden",
  M_CONSENT_NOT_GIVEN: "forbidden",
  M_NOT_FOUND: "not_found",
  M_LIMIT_EXCEEDED: "rate_limited",
  M_TOO_LARGE: "too_large",
};

function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 413:
      return "too_large";
    case 429:
      return "rate_limited";
    default:
      return status >= 500 ? "unavailable" : "invalid_request";
  }
}

/** Codes of failures before a connection stood. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
]);

/** As ECONNREFUSED, of a failed fetch; also of one that matrix-js-sdk tells of, which keeps the sentence alone. */
export function networkCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ConnectionError) return /^fetch failed: ([A-Z0-9_]{2,40})$/.exec(error.message)?.[1];
  const code = "code" in error ? error.code : networkCodeOf(error.cause);
  return typeof code === "string" && /^[A-Z0-9_]{2,40}$/.test(code) ? code : undefined;
}
