import { GatewayError, isGatewayError } from "@talaria/protocol";

/** The same error with effect none, for steps before anything is posted. Any other error is handed back as it is. */
export function withoutEffect(error: unknown): unknown {
  if (!isGatewayError(error) || error.effect === "none") return error;
  const { code, retryAfterMs, details, message } = error;
  return new GatewayError(message, {
    code,
    effect: "none",
    details,
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
