import type { GatewayError, Instant } from "@talaria/protocol";
import type { LastFailure, OutboxPart } from "@talaria/store";

/** What is kept of a failed call beside its part, for operators and for whoever decides when to try again. No words of the platform. */
export function lastFailure(error: GatewayError, at: Instant, { lastFailure: before }: OutboxPart): LastFailure {
  const reason = reasonOf(error);
  return {
    code: error.code,
    ...(reason === undefined ? {} : { reason }),
    ...(error.retryAfterMs === undefined ? {} : { isAsked: true }),
    since: before?.since ?? at,
    at,
  };
}

/** `ECONNREFUSED`, or a status; undefined where nothing is known but the code. */
export function reasonOf({ details }: GatewayError): string | undefined {
  const { network, status } = details;
  return network === undefined && status === undefined ? undefined : String(network ?? status);
}
