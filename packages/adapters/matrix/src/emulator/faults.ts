import type { NoAnswer } from "@talaria/testkit";

/** Something going wrong on the wire. `effect` says whether the call was carried out before it went wrong. */
export type MatrixFault =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly errcode?: string;
      readonly retryAfterMs?: number;
      /** Replaces the JSON, for example by a proxy's page. */
      readonly body?: string;
      /** Where an answer of 3xx sends the caller. */
      readonly location?: string;
      readonly effect: "none" | "done";
    }
  | NoAnswer;
