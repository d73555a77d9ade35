import { type ErrorCode, GatewayError } from "@talaria/protocol";

/** How a connection ended. `restart`: connect again at once, as after a link was made. */
export type CloseReason =
  | { readonly kind: "restart" }
  | { readonly kind: "logged-out" | "stop" | "retry"; readonly error: GatewayError };

/** What an operator should do about an error that `closeReasonOf` made. */
export function hintOf({ details }: GatewayError): string {
  return typeof details.hint === "string" ? details.hint : "see the log, then restart";
}

/** Reads the status of Baileys' error. Its words may name people, so only the number is kept. */
export function closeReasonOf(error: unknown, isLinked: boolean): CloseReason {
  const status = statusOf(error);
  const fail = (code: ErrorCode, hint?: string) =>
    new GatewayError(`whatsapp web ended the connection with ${status}`, { code, ...(hint && { details: { hint } }) });
  switch (status) {
    case 515:
      return { kind: "restart" };
    case 401:
      return {
        kind: "logged-out",
        error: fail("unauthorized", "the device was removed: restart to link it again"),
      };
    case 403:
      return { kind: "stop", error: fail("forbidden", "WhatsApp has banned or restricted this account") };
    case 440:
      return {
        kind: "stop",
        error: fail("forbidden", "another program uses the same link: stop it, then restart"),
      };
    case 411:
      return { kind: "stop", error: fail("forbidden", "the account does not allow linked devices") };
    case 405:
      return {
        kind: "stop",
        error: fail(
          "invalid_request",
          "WhatsApp refuses this version of its web client: set webVersion to a newer one",
        ),
      };
    default:
      if (status === 408 && !isLinked)
        return {
          kind: "stop",
          error: fail("unauthorized", "nobody linked the device in time: restart for a new code"),
        };
      return { kind: "retry", error: fail("unavailable") };
  }
}

function statusOf(error: unknown): number {
  const output = typeof error === "object" && error !== null && "output" in error ? error.output : undefined;
  const status =
    typeof output === "object" && output !== null && "statusCode" in output ? Number(output.statusCode) : Number.NaN;
  return Number.isSafeInteger(status) ? status : 0;
}
