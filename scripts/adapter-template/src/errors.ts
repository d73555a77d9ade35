import { codeOfStatus } from "@talaria/adapter-kit";
import { GatewayError } from "@talaria/protocol";

/** The platform's answer to a failed call, as an error that carries a decision. Never the token, never people's words. */
export function toGatewayError(status: number, method: string, retryAfterMs?: number): GatewayError {
  return new GatewayError(`loopback answered ${method} with ${status}`, {
    code: codeOfStatus(status),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
