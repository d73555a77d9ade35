import type { NoAnswer } from "../faults.ts";
import type { SendFailure } from "./harness.ts";

/** How a platform refuses. All other faults of the suite look the same on every wire. */
export interface Refusals<F> {
  readonly rateLimited: (retryAfterMs: number) => F;
  readonly unauthorized: F;
}

/** What a server has to do to the next call so that a send fails in this way. */
export function faultOf<F>(failure: SendFailure, { rateLimited, unauthorized }: Refusals<F>): F | NoAnswer {
  switch (failure.kind) {
    case "rate_limited":
      return rateLimited(failure.retryAfterMs);
    case "unauthorized":
      return unauthorized;
    case "connection_lost":
      return { kind: "drop", effect: "done" };
    case "stalled":
      return { kind: "hang", effect: "none" };
    default:
      return failure satisfies never;
  }
}
