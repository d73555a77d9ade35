import { type ErrorCode, GatewayError, isGatewayError } from "@talaria/protocol";
import { tlsFault } from "./tls-fault.ts";

/** What nodemailer's errors tell. Their messages hold the server's words, which may repeat people's: they go no further. */
interface MailError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
  readonly authenticationFailed?: unknown;
  readonly responseStatus?: unknown;
  readonly serverResponseCode?: unknown;
}

/** How far a delivery had come: once the text is on its way, a lost connection leaves its fate open. */
export type SmtpPhase = "connecting" | "sending";

/** Without a word of the server about time. */
const usualDelayMs = 60_000;

/** Converts what a delivery failed with. `isAborted`: we ended it ourselves. */
export function smtpError(error: unknown, phase: SmtpPhase, isAborted: boolean): GatewayError {
  if (isAborted) return new GatewayError("sending a mail was aborted", { code: "aborted", effect: "unknown" });
  if (isGatewayError(error)) return error;
  const fault = tlsFault(error, "smtp");
  if (fault !== undefined) return tlsError(fault);
  const { code, command, response, responseCode } = (error ?? {}) as MailError;
  const status = typeof responseCode === "number" ? responseCode : 0;
  if (code === "EAUTH") return authError(status);
  if (status >= 400) return answerError(status, String(response ?? ""), String(command ?? ""));
  if (code === "EMESSAGE") return tooLarge();
  if (code === "EENVELOPE")
    return new GatewayError("the mail server takes no such address", { code: "invalid_request" });
  const network = wordOf(code);
  return new GatewayError(`the mail server could not be reached (${network})`, {
    code: "unavailable",
    effect: phase === "sending" ? "unknown" : "none",
    ...(network === "nothing" ? {} : { details: { network } }),
  });
}

/** Nobody logged in, and the server may come to its senses. `details.tls` tells this from other troubles. */
function tlsError(fault: string): GatewayError {
  return new GatewayError(fault, { code: "unavailable", effect: "none", details: { tls: true } });
}

function authError(status: number): GatewayError {
  if (status >= 400 && status < 500)
    return new GatewayError(`the mail server answered the login with ${status}`, {
      code: "unavailable",
      effect: "none",
    });
  return new GatewayError("the mail server refuses smtp.user or smtp.password", { code: "unauthorized" });
}

/** An answer of the server: it took nothing. 4xx may change, 5xx will not (RFC 5321 section 4.2.1). */
function answerError(status: number, response: string, command: string): GatewayError {
  const at = wordOf(command);
  if (status >= 500) {
    const code = codeOf(status, response, command);
    return new GatewayError(`the mail server answered ${at} with ${status}`, {
      code,
      effect: "none",
      details: { status },
    });
  }
  const retryAfterMs = delayOf(response);
  const isLimit = retryAfterMs !== undefined || /\b4\.7\.\d|rate|too many|throttl|greylist/i.test(response);
  return new GatewayError(`the mail server answered ${at} with ${status}`, {
    code: isLimit ? "rate_limited" : "unavailable",
    effect: "none",
    details: { status },
    ...(isLimit ? { retryAfterMs: retryAfterMs ?? usualDelayMs } : {}),
  });
}

function codeOf(status: number, response: string, command: string): ErrorCode {
  if (isFull(status, response)) return "unavailable";
  if (status === 552 || /\b5\.(?:2\.3|3\.4)\b/.test(response)) return "too_large";
  if (status === 530 || status === 535 || status === 538) return "unauthorized";
  if (/\b5\.1\.[1236]\b|user unknown|no such user/i.test(response) || (status === 550 && command === "RCPT TO"))
    return "not_found";
  return status === 554 || /\b5\.7\.\d/.test(response) ? "forbidden" : "invalid_request";
}

/**
 * A mailbox or the server has no room, which says nothing of this mail: 5.2.2 and 5.3.1 (RFC 3463 sections 3.3 and 3.4), or words to that
 * effect beside a 552 that has no such code.
 */
function isFull(status: number, response: string): boolean {
  const [code] = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(response) ?? [];
  if (code !== undefined) return code === "5.2.2" || code === "5.3.1";
  return status === 552 && /quota|\bfull\b|storage allocation/i.test(response);
}

/** `try again in 7 seconds`, `greylisted for 5 minutes`. */
function delayOf(response: string): number | undefined {
  const [, amount, unit = ""] =
    /\b(?:in|for|after) (\d{1,6})\s?(s|sec|seconds?|m|min|minutes?|h|hours?)\b/i.exec(response) ?? [];
  if (amount === undefined) return undefined;
  const unitMs = unit.toLowerCase().startsWith("s") ? 1_000 : unit.toLowerCase().startsWith("m") ? 60_000 : 3_600_000;
  return Number(amount) * unitMs;
}

export function tooLarge(maxBytes?: number): GatewayError {
  return new GatewayError("a mail is larger than the mail server takes", {
    code: "too_large",
    ...(maxBytes === undefined ? {} : { details: { maxBytes } }),
  });
}

/** Converts what a call on the mailbox failed with. */
export function imapError(error: unknown, action: string): GatewayError {
  if (isGatewayError(error)) return error;
  const fault = tlsFault(error, "imap");
  if (fault !== undefined) return tlsError(fault);
  const { code, authenticationFailed, responseStatus, serverResponseCode } = (error ?? {}) as MailError;
  const said = wordOf(serverResponseCode);
  if (authenticationFailed === true && said !== "UNAVAILABLE" && responseStatus !== undefined)
    return new GatewayError("the mailbox refuses user or password", { code: "unauthorized" });
  if (responseStatus === "NO" && /NONEXISTENT|TRYCREATE|CANNOT/.test(said))
    return new GatewayError(`${action}: there is no such mailbox`, { code: "invalid_request" });
  const reason = said === "nothing" ? wordOf(code) : said;
  return new GatewayError(`${action} failed (${reason})`, { code: "unavailable", effect: "none" });
}

/** A code of letters, or nothing that could be a person's words. */
function wordOf(value: unknown): string {
  return typeof value === "string" && /^[A-Za-z0-9_ ]{2,40}$/.test(value) ? value : "nothing";
}
