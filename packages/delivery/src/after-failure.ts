import { type ErrorCode, errorTable, type GatewayError } from "@talaria/protocol";
import type { OutboxPart } from "@talaria/store";
import { askedPauseMs, repeatDelayMs, retryDelayMs } from "./retry-delay.ts";

/** What is known about the call that failed. */
export interface FailedCall {
  readonly part: OutboxPart;
  /** The call edited the preview, which is safe to repeat. */
  readonly wasEdit: boolean;
  /** The call was a question. */
  readonly wasFind: boolean;
  /** The platform recognises a repeated send. */
  readonly recognises: boolean;
  /** Time since the text was committed. */
  readonly ageMs: number;
}

export type Decision =
  /** The platform limits the rate; the call had no effect and does not count. */
  | { readonly kind: "rate-limited"; readonly waitMs: number; readonly scope: "conversation" | "account" }
  /** Call again later. `unknown`: the call may have had its effect. */
  | { readonly kind: "retry"; readonly waitMs: number; readonly unknown: boolean }
  | { readonly kind: "split-smaller" }
  /** The preview can no longer be edited. */
  | { readonly kind: "post-anew" }
  | { readonly kind: "give-up"; readonly reason: ErrorCode | "unknown_outcome" };

const givenUpAfterMs = 24 * 60 * 60_000;

/**
 * How often a part is sent again because nobody knows what became of it. With the pauses between, more than enough for a
 * platform that answers everything but posts; each repetition may be one more copy.
 */
export const mostRepeats = 5;

export function afterFailure(error: GatewayError, call: FailedCall, random: () => number): Decision {
  const { part, wasEdit } = call;
  const isOld = call.ageMs > givenUpAfterMs;
  if (error.code === "rate_limited" && !isOld) {
    const scope = error.details.scope === "account" ? "account" : "conversation";
    return { kind: "rate-limited", waitMs: askedPauseMs(error), scope };
  }
  const unknown = error.effect === "unknown" && !wasEdit;
  if (unknown && !call.wasFind && !call.recognises) return repeat(error.code, part.unknown, isOld, random);
  if (error.effect === "none" && errorTable[error.code].retry === "never" && !waitsForSecret(error, isOld)) {
    if (error.code === "too_large" && part.error !== "too_large") return { kind: "split-smaller" };
    return wasEdit ? { kind: "post-anew" } : { kind: "give-up", reason: error.code };
  }
  if (isOld) return { kind: "give-up", reason: error.code };
  const waitMs = error.retryAfterMs === undefined ? retryDelayMs(part.attempts, random) : askedPauseMs(error);
  return { kind: "retry", waitMs, unknown };
}

/** The account is refused, and no text of it: they wait until an operator has given it a token or key that works. */
function waitsForSecret({ code }: GatewayError, isOld: boolean): boolean {
  return code === "unauthorized" && !isOld;
}

/** Nobody can tell what became of the call: it is made again. An adapter's own mistake is no outage. */
function repeat(code: ErrorCode, repeats: number, isOld: boolean, random: () => number): Decision {
  const most = code === "internal" ? 1 : mostRepeats;
  if (isOld || repeats >= most) return { kind: "give-up", reason: "unknown_outcome" };
  return { kind: "retry", waitMs: repeatDelayMs(repeats, random), unknown: true };
}
