import { createHmac } from "node:crypto";
import { codeOfStatus } from "@talaria/adapter-kit";
import { type ErrorCode, GatewayError, type OutboundMessage } from "@talaria/protocol";
import type { SecretText } from "./config.ts";
import { signingKeys } from "./signing-keys.ts";

const longestAnswerMs = 15_000;
/** Bounds of the wait that a callback's address may ask for. */
const retryAfterLimits = { leastMs: 1_000, mostMs: 3_600_000 };

export interface Callback {
  readonly url: string;
  /** Every one of them signs, so that the receiver can rotate too. */
  readonly secrets: readonly SecretText[];
  readonly message: OutboundMessage;
  readonly nowMs: number;
  /** How long the address may take to answer. Default 15 s. */
  readonly timeoutMs?: number;
}

/**
 * Posts an answer as `{ eventId, reply }`, signed as Standard Webhooks 1.0.0. Its `webhook-id` stays the same when it is
 * posted again. Redirects are not followed. Throws only GatewayError.
 */
export async function postCallback(callback: Callback, signal: AbortSignal): Promise<void> {
  const { message, secrets, nowMs } = callback;
  const body = JSON.stringify({ eventId: message.conversation.conversationId, reply: message.markdown });
  const id = message.deliveryKey;
  const timestamp = Math.floor(nowMs / 1000);
  const signatures = secrets.flatMap(signingKeys).map((key) => {
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  const response = await post(callback, body, signal, {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  });
  await response.body?.cancel().catch(() => undefined);
  if (!response.ok) throw toError(response, nowMs);
}

async function post(
  { url, timeoutMs = longestAnswerMs }: Callback,
  body: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), timeoutMs);
  try {
    return await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers,
      body,
      signal: AbortSignal.any([signal, patience.signal]),
    });
  } catch (error) {
    if (signal.aborted) throw new GatewayError("posting a callback was aborted", { code: "aborted", cause: error });
    throw new GatewayError("the `callbackUrl` did not answer", { code: "unavailable", cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function toError(response: Response, nowMs: number): GatewayError {
  const { status, headers } = response;
  const hint = status >= 300 && status < 400 ? ": redirects are not followed" : "";
  const code = codeOf(status);
  return new GatewayError(`the \`callbackUrl\` answered ${status}${hint}`, {
    code,
    details: { status },
    ...(code === "rate_limited" ? { retryAfterMs: toDelayMs(headers.get("retry-after"), nowMs) } : {}),
  });
}

function codeOf(status: number): ErrorCode {
  return status === 408 || status === 425 ? "unavailable" : codeOfStatus(status);
}

/** `Retry-After` is a number of seconds or a date. */
function toDelayMs(retryAfter: string | null, nowMs: number): number {
  const { leastMs, mostMs } = retryAfterLimits;
  const text = retryAfter ?? "";
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? leastMs : Math.min(Math.max(delayMs, leastMs), mostMs);
}
