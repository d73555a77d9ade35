import type { AccountId, ErrorCode } from "@talaria/protocol";

/** What the delivery counts. None of these may throw. */
export interface DeliveryMetrics {
  /** A platform confirmed one message. */
  delivered(account: AccountId): void;
  /** A call failed. `unknown_outcome`: a text was given up because nobody knows whether it arrived. */
  deliveryFailed(account: AccountId, code: ErrorCode): void;
  /** A call ended without an answer: the message may have arrived. */
  outcomeUnknown(account: AccountId): void;
  rateLimited(account: AccountId, waitMs: number): void;
  /** A preview was posted or updated. */
  previewed(account: AccountId): void;
  /** From the commit of a text to the confirmation of its last part. */
  stage(stage: "answered_to_delivered", durationMs: number): void;
}

export const silentMetrics: DeliveryMetrics = {
  delivered: () => undefined,
  deliveryFailed: () => undefined,
  outcomeUnknown: () => undefined,
  rateLimited: () => undefined,
  previewed: () => undefined,
  stage: () => undefined,
};
