import type { ModelFailure, ModelFailureKind } from "@talaria/agent";
import { backoffMs } from "@talaria/protocol";

const minuteMs = 60_000;
const growing = { firstMs: minuteMs / 2, longestMs: 10 * minuteMs };
/** What is asked after a rest has this long to prove itself; the others pass it by meanwhile. */
export const probeMs = minuteMs / 2;

/** How long to leave alone what failed in this way, for the `failures`th time in a row. */
export function restMs(failure: ModelFailure, failures: number): number {
  switch (failure.kind) {
    case "quota":
      return 60 * minuteMs;
    case "auth":
    case "not_found":
      return 10 * minuteMs;
    case "rate_limit":
      return failure.retryAfterMs ?? minuteMs;
    default:
      return backoffMs(failures, growing, 1);
  }
}

/** Failures that are about the key: another one of the same provider may work. */
export const aboutTheKey: ReadonlySet<ModelFailureKind> = new Set(["auth", "quota", "rate_limit"]);
