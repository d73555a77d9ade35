import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from "@slack/web-api";
import { codeOfStatus, foreignAnswer, networkCodeOf, unreachable } from "@talaria/adapter-kit";
import { type ErrorCode, GatewayError } from "@talaria/protocol";

/**
 * Converts whatever a call threw. Requests hold people's words and the token, so no foreign error becomes a cause or
 * part of a message.
 */
export function toGatewayError(error: unknown, action: string, signal?: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (signal?.aborted) return new GatewayError(`${action} was aborted`, { code: "aborted" });
  if (error instanceof WebAPIRateLimitedError) return rateLimited(action, error.retryAfter * 1_000);
  if (error instanceof WebAPIPlatformError) return refusal(String(error.data.error), action);
  // Slack itself refuses with 200 or 429 (docs.slack.dev/apis/web-api#responses).
  if (error instanceof WebAPIHTTPError) return foreignAnswer("slack", action, error.statusCode);
  return unreachable("slack", action, networkCodeOf(error));
}

/** An answer of a file's address whose status is an error. */
export function statusError(status: number, action: string, retryAfterMs = 1_000): GatewayError {
  if (status === 429) return rateLimited(action, retryAfterMs);
  const code = codeOfStatus(status);
  return new GatewayError(`slack answered ${action} with ${status}`, { code, details: { status } });
}

/** Whether Slack refused with one of these names. */
export function isRefusal(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof GatewayError && names.includes(String(error.details.error));
}

function rateLimited(action: string, retryAfterMs: number): GatewayError {
  return new GatewayError(`slack asks ${action} to wait`, { code: "rate_limited", retryAfterMs });
}

function refusal(name: string, action: string): GatewayError {
  const isName = /^[a-z0-9_:]{1,60}$/i.test(name);
  const code = isName ? ((Object.hasOwn(codeOf, name) ? codeOf[name] : undefined) ?? "invalid_request") : "unavailable";
  const error = isName ? name : "no JSON";
  if (code === "rate_limited") return rateLimited(action, 1_000);
  return new GatewayError(`slack refused ${action}: ${error}`, { code, details: { error } });
}

/** Slack's error names that say more than "no". */
const codeOf: Readonly<Record<string, ErrorCode>> = {
  not_authed: "unauthorized",
  invalid_auth: "unauthorized",
  account_inactive: "unauthorized",
  token_revoked: "unauthorized",
  token_expired: "unauthorized",
  user_removed_from_team: "unauthorized",
  team_disabled: "unauthorized",
  not_allowed_token_type: "unauthorized",
  missing_scope: "forbidden",
  no_permission: "forbidden",
  access_denied: "forbidden",
  not_in_channel: "forbidden",
  user_not_in_channel: "forbidden",
  is_archived: "forbidden",
  restricted_action: "forbidden",
  restricted_action_read_only_channel: "forbidden",
  restricted_action_thread_only_channel: "forbidden",
  cant_update_message: "forbidden",
  cant_delete_message: "forbidden",
  edit_window_closed: "forbidden",
  messages_tab_disabled: "forbidden",
  cannot_dm_bot: "forbidden",
  socket_mode_not_enabled: "forbidden",
  channel_not_found: "not_found",
  message_not_found: "not_found",
  thread_not_found: "not_found",
  session_not_found: "not_found",
  user_not_found: "not_found",
  file_not_found: "not_found",
  file_deleted: "not_found",
  msg_too_long: "too_large",
  msg_blocks_too_long: "too_large",
  invalid_name: "unsupported",
  channel_type_not_supported: "unsupported",
  method_not_supported_for_channel_type: "unsupported",
  ratelimited: "rate_limited",
  rate_limited: "rate_limited",
  message_limit_exceeded: "unavailable",
  internal_error: "unavailable",
  fatal_error: "unavailable",
  service_unavailable: "unavailable",
  request_timeout: "unavailable",
  team_added_to_org: "unavailable",
};
