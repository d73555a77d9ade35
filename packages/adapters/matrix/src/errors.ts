import { codeOfStatus, foreignAnswer, networkCodeOf, unreachable } from "@talaria/adapter-kit";
import { type ErrorCode, GatewayError } from "@talaria/protocol";
import { ConnectionError, HTTPError, MatrixError, safeGetRetryAfterMs } from "matrix-js-sdk/lib/http-api/errors.js";
import { z } from "zod";

const errorBody = z.object({
  errcode: z.string().max(100).catch(""),
  soft_logout: z.boolean().optional().catch(undefined),
  /** In which a password has to be given (specification, user-interactive authentication). */
  session: z.string().max(300).optional().catch(undefined),
});

/** How long to wait when a homeserver limits us without saying for how long. */
const defaultRetryMs = 1_000;

/** What a call threw: an error of matrix-js-sdk, or what ended an answer before it was complete. */
export function toGatewayError(error: unknown, action: string, signal: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof HTTPError && error.httpStatus !== undefined) return toAnswerError(error, action);
  if (error instanceof SyntaxError)
    return new GatewayError(`the homeserver answered ${action} with something other than JSON`, {
      code: "unavailable",
    });
  if (signal.aborted) return new GatewayError(`${action} was aborted`, { code: "aborted" });
  return unreachable("the homeserver", action, keptCodeOf(error) ?? networkCodeOf(error));
}

/** A homeserver's answer to a failed call. Its `error` sentence may quote people: only the errcode is kept. */
function toAnswerError(error: HTTPError, action: string): GatewayError {
  const status = error.httpStatus ?? 0;
  const body: unknown = error instanceof MatrixError ? error.data : undefined;
  const { errcode, soft_logout, session } = errorBody.catch({ errcode: "" }).parse(body);
  // A page about what is only read may mean what its status says: some proxies hide paths.
  if (errcode === "" && status < 500 && !action.startsWith("GET ") && status !== 429)
    return foreignAnswer("the homeserver", action, status);
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

/** matrix-js-sdk keeps only the message of a failed fetch; `boundedFetch` makes sure that it is the code. */
function keptCodeOf(error: unknown): string | undefined {
  return error instanceof ConnectionError ? /^fetch failed: ([A-Z0-9_]{2,40})$/.exec(error.message)?.[1] : undefined;
}
