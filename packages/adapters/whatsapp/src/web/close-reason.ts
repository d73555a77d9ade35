import { type ErrorCode, GatewayError } from "@talaria/protocol";

/** How a connection ended. `restart`: connect again at once, as after a link was made. */
export type CloseReason =
  | { readonly kind: "restart" }
  | { readonly kind: "logged-out"; readonly error: GatewayError; readonly hint: string }
  | { readonly kind: "stop"; readonly error: GatewayError; readonly hint: string }
  | { readonly kind: "retry"; readonly error: GatewayError };

/** Reads the status of Baileys' error. Its words may name people, so only the number is kept. */
export function closeReasonOf(error: unknown, isLinked: boolean): CloseReason {
  const status = statusOf(error);
  const fail = (code: ErrorCode) => new GatewayError(`whatsapp web ended the connection with ${status}`, { code });
  switch (status) {
    case 515:
      return { kind: "restart" };
    case 401:
      return {
        kind: "logged-out",
        error: fail("unauthorized"),
        hint: "the device was removed: restart to link it again",
      };
    case 403:
      return { kind: "stop", error: fail("forbidden"), hint: "WhatsApp has banned or restricted this account" };
    case 440:
      return {
        kind: "stop",
        error: fail("forbidden"),
        hint: "another program uses the same link: stop it, then restart",
      };
    case 411:
      return { kind: "stop", error: fail("forbidden"), hint: "the account does not allow linked devices" };
    case 405:
      return {
        kind: "stop",
        error: fail("invalid_request"),
        hint: "WhatsApp refuses this version of its web client: set webVersion to a newer one",
      };
    default:
      if (status === 408 && !isLinked)
        return {
          kind: "stop",
          error: fail("unauthorized"),
          hint: "nobody linked the device in time: restart for a new code",
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
