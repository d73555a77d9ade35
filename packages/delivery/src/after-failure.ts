import { type ErrorCode, errorTable, type GatewayError } from "@talaria/protocol";
import type { OutboxPart } from "@talaria/store";
import { askedPauseMs, retryDelayMs } from "./retry-delay.ts";

/** What is known about the call that failed. */
export interface FailedCall {
  readonly part: OutboxPart;
  /** The call edited the preview, which is safe to repeat. */
  readonly wasEdit: boolean;
  /** The platform recognises a repeated send, or can be asked whether the first arrived. */
  readonly canTell: boolean;
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

export function afterFailure(error: GatewayError, call: FailedCall, random: () => number): Decision {
  const { part, wasEdit } = call;
  const isOld = call.ageMs > givenUpAfterMs;
  if (error.code === "rate_limited" && !isOld) {
    const scope = error.details.scope === "account" ? "account" : "conversation";
    return { kind: "rate-limited", waitMs: askedPauseMs(error), scope };
  }
  const unknown = error.effect === "unknown" && !wasEdit;
  if (unknown && !call.canTell && part.unknown > 0) return { kind: "give-up", reason: "unknown_outcome" };
  if (error.effect === "none" && errorTable[error.code].retry === "never") {
    if (error.code === "too_large" && part.error !== "too_large") return { kind: "split-smaller" };
    return wasEdit ? { kind: "post-anew" } : { kind: "give-up", reason: error.code };
  }
  if (isOld) return { kind: "give-up", reason: error.code };
  const waitMs = error.retryAfterMs === undefined ? retryDelayMs(part.attempts, random) : askedPauseMs(error);
  return { kind: "retry", waitMs, unknown };
}
