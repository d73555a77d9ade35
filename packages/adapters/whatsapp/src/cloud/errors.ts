import { codeOfStatus, foreignAnswer, networkCodeOf, unreachable } from "@talaria/adapter-kit";
import { type Effect, type ErrorCode, GatewayError } from "@talaria/protocol";
import { z } from "zod";

/** The part of an error's body that decides. `message` and `details` are Meta's words about the call, not people's. */
const errorBody = z.object({
  error: z.object({
    message: z.string().catch(""),
    code: z.number(),
    error_subcode: z.number().optional().catch(undefined),
    error_data: z
      .object({ details: z.string().catch("") })
      .optional()
      .catch(undefined),
  }),
});

export interface FailedAnswer {
  /** What was asked for, without ids: `send`, `upload`. */
  readonly action: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** An answer that is no success, as an error that carries a decision. Codes decide: Meta sends most of them with 400. */
export function answerError({ action, status, headers, body }: FailedAnswer): GatewayError {
  const said = parseBody(body);
  // Files come from another server, whose refusals have no words.
  if (said === undefined && action !== "download")
    return foreignAnswer("whatsapp", action, status, headers.get("retry-after"));
  const rule = ruleOf(said?.code, said?.subcode) ?? ruleOfStatus(status);
  const facts = said === undefined ? "" : `, code ${said.code}: ${said.text}`;
  const remedy = rule.remedy === undefined ? "" : `. ${rule.remedy}`;
  return new GatewayError(`whatsapp answered ${action} with ${status}${facts}${remedy}`, {
    code: rule.code,
    ...(rule.effect === undefined ? {} : { effect: rule.effect }),
    ...(rule.pauseMs === undefined ? {} : { retryAfterMs: askedPauseMs(headers) ?? rule.pauseMs }),
    ...(said === undefined ? {} : { details: { platformCode: said.code } }),
  });
}

/** Whatever `fetch` threw. Its messages may name addresses with ids, so none becomes part of ours. */
export function networkError(error: unknown, action: string, signal: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (signal.aborted) return new GatewayError(`the call ${action} was aborted`, { code: "aborted" });
  return unreachable("whatsapp", action, networkCodeOf(error));
}

/** Why a message of ours did not arrive, told later by a status: the same words as for an error at once. */
export function reasonOf(code: number, text: string): string {
  const remedy = ruleOf(code)?.remedy;
  return remedy === undefined ? `${code}: ${text}` : `${code}: ${text}. ${remedy}`;
}

interface Rule {
  readonly code: ErrorCode;
  readonly effect?: Effect;
  /** Wait before the next attempt when the answer names none. */
  readonly pauseMs?: number;
  /** What an operator should know or do. */
  readonly remedy?: string;
}

const windowClosed =
  "The 24-hour window is closed: WhatsApp lets this account write only within 24 hours of the person's last message. " +
  "The person has to write first; an approved template sent from WhatsApp Manager can ask them to";

/** Meta's codes: developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes. */
const rules: Readonly<Record<number, Rule>> = {
  0: { code: "unauthorized", remedy: "Make a new access token" },
  1: { code: "unavailable" },
  2: { code: "unavailable" },
  3: { code: "forbidden", remedy: "Give the token's system user the permission whatsapp_business_messaging" },
  4: { code: "rate_limited", pauseMs: 60_000 },
  10: { code: "forbidden", remedy: "Give the token's system user the permission whatsapp_business_messaging" },
  33: { code: "not_found", remedy: "Check phoneNumberId" },
  100: { code: "invalid_request" },
  190: { code: "unauthorized", remedy: "The access token has expired or was revoked: make a permanent one" },
  368: { code: "forbidden", remedy: "Meta has restricted the business account: see WhatsApp Manager" },
  80007: { code: "rate_limited", pauseMs: 60_000 },
  130429: { code: "rate_limited", pauseMs: 1_000 },
  130472: { code: "forbidden" },
  131000: { code: "unavailable" },
  131005: { code: "forbidden", remedy: "Give the token's system user the permission whatsapp_business_messaging" },
  131008: { code: "invalid_request" },
  131009: { code: "invalid_request" },
  131016: { code: "unavailable" },
  131021: { code: "invalid_request" },
  131026: { code: "forbidden", remedy: "The number is not on WhatsApp, or does not take messages of businesses" },
  131030: {
    code: "forbidden",
    remedy: "The number is not on the list of a test account: add it in Meta's app, or use a number of your own",
  },
  131031: { code: "forbidden", remedy: "Meta has locked the business account: see WhatsApp Manager" },
  131042: { code: "forbidden", remedy: "The business account has a payment problem: see WhatsApp Manager" },
  131047: { code: "forbidden", remedy: windowClosed },
  131048: {
    code: "rate_limited",
    pauseMs: 15 * 60_000,
    remedy: "Too many people blocked or reported this number: see its quality in WhatsApp Manager",
  },
  131051: { code: "unsupported" },
  131052: { code: "not_found" },
  131053: { code: "invalid_request" },
  131056: { code: "rate_limited", pauseMs: 6_000 },
  131057: { code: "unavailable" },
  133010: { code: "forbidden", remedy: "The number is not registered with the Cloud API: register it in Meta's app" },
};

function ruleOf(code: number | undefined, subcode?: number): Rule | undefined {
  if (code === undefined) return undefined;
  if (code === 100 && subcode === 33) return rules[33];
  if (code >= 200 && code <= 299) return rules[10];
  return rules[code];
}

function ruleOfStatus(status: number): Rule {
  return status === 429 ? { code: "rate_limited", pauseMs: 1_000 } : { code: codeOfStatus(status) };
}

function parseBody(body: string) {
  try {
    const { error } = errorBody.parse(JSON.parse(body));
    const text = `${error.message} ${error.error_data?.details ?? ""}`.trim().slice(0, 300);
    return { code: error.code, subcode: error.error_subcode, text };
  } catch {
    return undefined;
  }
}

/** Seconds in `retry-after`, or minutes in Meta's header on the use of an account. Undefined when neither says. */
function askedPauseMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  if (seconds > 0) return seconds * 1_000;
  const minutes = /"estimated_time_to_regain_access":\s*(\d{1,5})/.exec(
    headers.get("x-business-use-case-usage")?.slice(0, 4_096) ?? "",
  )?.[1];
  return Number(minutes) > 0 ? Number(minutes) * 60_000 : undefined;
}
