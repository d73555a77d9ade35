import { codeOfStatus, foreignAnswer, networkCodeOf, unreachable } from "@talaria/adapter-kit";
import { type ErrorCode, GatewayError } from "@talaria/protocol";
import { DiscordAPIError, DiscordjsError, DiscordjsErrorCodes, HTTPError, RateLimitError } from "discord.js";

/**
 * Converts whatever `action` threw. People's words are part of the requests that discord.js keeps in its errors, so no
 * foreign error becomes a cause or part of a message.
 */
export function toGatewayError(error: unknown, action: string, signal?: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (signal?.aborted) return new GatewayError(`${action} was aborted`, { code: "aborted" });
  if (error instanceof RateLimitError) return rateLimited(error, action);
  if (error instanceof DiscordAPIError) return answerError(error, action);
  if (error instanceof HTTPError) return foreignAnswer("discord", action, error.status);
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid)
    return new GatewayError("discord refuses the token", { code: "unauthorized" });
  return unreachable("discord", action, networkCodeOf(error));
}

/** Converts the code a gateway connection was closed with for good. */
export function toCloseError(closeCode: number): GatewayError {
  const code: ErrorCode = closeCode === 4_004 ? "unauthorized" : closeCode === 4_014 ? "forbidden" : "invalid_request";
  return new GatewayError(`discord closed the connection for good with ${closeCode}`, { code, details: { closeCode } });
}

function rateLimited({ retryAfter, timeToReset, sublimitTimeout }: RateLimitError, action: string): GatewayError {
  const waits = [retryAfter, sublimitTimeout, retryAfter > 0 ? 0 : timeToReset].filter(Number.isFinite);
  const retryAfterMs = Math.max(1, Math.ceil(Math.max(...waits)));
  return new GatewayError(`discord asks ${action} to wait`, { code: "rate_limited", retryAfterMs });
}

function answerError(error: DiscordAPIError, action: string): GatewayError {
  const { status, code: number, rawError } = error;
  // discord.js makes one of these of any body; each of Discord's own has a number (docs.discord.com, "Opcodes and status codes").
  if (!Number.isInteger(Number(number ?? Number.NaN))) return foreignAnswer("discord", action, status);
  const isTooLong = number === 50_035 && JSON.stringify(rawError).includes("BASE_TYPE_MAX_LENGTH");
  const code = isTooLong ? "too_large" : codeOf[Number(number)];
  return new GatewayError(`discord answered ${action} with ${status}/${number}`, {
    code: code ?? codeOfStatus(status),
    details: { number: Number(number) },
  });
}

/** Discord's numbers that say more than the status of the answer. */
const codeOf: Readonly<Record<number, ErrorCode>> = {
  10003: "not_found",
  10008: "not_found",
  /** Emoji that Discord lacks. */
  10014: "unsupported",
  /** An interaction whose time is over, and its token. */
  10015: "not_found",
  10062: "not_found",
  50027: "not_found",
  40001: "unauthorized",
  40005: "too_large",
  50001: "forbidden",
  50005: "forbidden",
  50007: "forbidden",
  50013: "forbidden",
  /** Archived and locked threads. */
  50083: "forbidden",
  160005: "forbidden",
};
