import { type ErrorCode, GatewayError } from "@talaria/protocol";

/** The platform's answer to a failed call, as an error that carries a decision. Never the token, never people's words. */
export function toGatewayError(status: number, method: string, retryAfterMs?: number): GatewayError {
  return new GatewayError(`loopback answered ${method} with ${status}`, {
    code: codeOf(status),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function codeOf(status: number): ErrorCode {
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
