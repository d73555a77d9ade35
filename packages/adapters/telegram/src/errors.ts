import { networkCodeOf, unreachable } from "@talaria/adapter-kit";
import { type Effect, type ErrorCode, GatewayError } from "@talaria/protocol";
import { GrammyError, HttpError } from "grammy";

/** How long to leave the bot to another process that polls it, before we try again. */
const conflictPauseMs = 15_000;

/** A 429 that does not say how long. */
const usualPauseMs = 1_000;

/**
 * Converts whatever a call of `method` threw. The token is part of the URLs that grammY's and node's errors carry, and
 * people's words are part of the payloads, so no foreign error becomes a cause or part of a message.
 */
export function toGatewayError(error: unknown, method: string, signal?: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof HttpError && error.error instanceof GatewayError) return error.error;
  if (signal?.aborted) return new GatewayError(`the call of ${method} was aborted`, { code: "aborted" });
  if (error instanceof GrammyError) return answerError(error, method);
  return unreachable("telegram", method, networkCodeOf(error instanceof HttpError ? error.error : error));
}

function answerError(error: GrammyError, method: string): GatewayError {
  const { parameters, error_code: status } = error;
  const description = typeof error.description === "string" ? error.description : "";
  const fail = (
    code: ErrorCode,
    more: { retryAfterMs?: number; effect?: Effect; details?: GatewayError["details"] } = {},
  ) => new GatewayError(`telegram answered ${method} with ${status}: ${description.slice(0, 300)}`, { code, ...more });
  if (parameters.migrate_to_chat_id !== undefined)
    return fail("not_found", { details: { migratedTo: String(parameters.migrate_to_chat_id) } });
  switch (status) {
    case 400: {
      const { code, reason } = badRequestRules.find(({ says }) => says.test(description)) ?? usualBadRequest;
      return fail(code, reason === undefined ? {} : { details: { reason } });
    }
    case 401:
      return fail("unauthorized");
    case 403:
      return fail("forbidden", { details: { reason: "closed" } });
    case 404:
      return fail(newMethods.has(method) ? "unsupported" : "unauthorized");
    case 409:
      return fail("conflict", { retryAfterMs: conflictPauseMs });
    case 413:
      return fail("too_large");
    case 429: {
      const seconds = Number(parameters.retry_after);
      return fail("rate_limited", { retryAfterMs: seconds > 0 ? seconds * 1_000 : usualPauseMs });
    }
    default:
      // Also one that the API itself answered as JSON: nothing promises that the call had no effect.
      // https://core.telegram.org/bots/api#making-requests says no more than that `error_code` is subject to change.
      return status < 500 ? fail("invalid_request") : fail("unavailable", { details: { status } });
  }
}

/** An older Bot API server does not know them; any other 404 means that the token is wrong. */
const newMethods: ReadonlySet<string> = new Set(["sendMessageDraft", "sendRichMessage"]);

interface BadRequestRule {
  readonly says: RegExp;
  readonly code: ErrorCode;
  /** Becomes `details.reason`. */
  readonly reason?: "entities" | "not-modified" | "thread" | "topic-closed" | "media" | "no-text";
}

const usualBadRequest: BadRequestRule = { says: /./, code: "invalid_request" };

/** Telegram says what a 400 means only in words. */
const badRequestRules: readonly BadRequestRule[] = [
  { says: /can't parse entities/i, code: "invalid_request", reason: "entities" },
  { says: /message is not modified/i, code: "invalid_request", reason: "not-modified" },
  { says: /there is no text in the message|no caption in the message/i, code: "invalid_request", reason: "no-text" },
  { says: /REACTION_(INVALID|EMPTY)|REACTIONS_TOO_MANY/i, code: "unsupported" },
  { says: /TOPIC_CLOSED|topic.*closed/i, code: "forbidden", reason: "topic-closed" },
  { says: /thread not found|TOPIC_(DELETED|ID_INVALID)|topic.*deleted/i, code: "not_found", reason: "thread" },
  { says: /too long|too big|too large|MEDIA_CAPTION_TOO_LONG/i, code: "too_large" },
  // Not a picture, film or recording after all, or somebody takes no voice messages: it may go as a file.
  {
    says: /\b(?:PHOTO|IMAGE|VIDEO|AUDIO|MEDIA)_[A-Z_]*(?:INVALID|FAILED)|VOICE_MESSAGES_FORBIDDEN/,
    code: "invalid_request",
    reason: "media",
  },
  { says: /query is too old|query ID is invalid|QUERY_ID_INVALID/i, code: "not_found" },
  { says: /not found|MESSAGE_ID_INVALID|PEER_ID_INVALID|wrong file_id/i, code: "not_found" },
  {
    says: /not enough rights|have no rights|WRITE_FORBIDDEN|ADMIN_REQUIRED|RIGHT_FORBIDDEN|was blocked|was kicked/i,
    code: "forbidden",
  },
];
