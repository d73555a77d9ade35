import type { Adapter } from "@talaria/adapter";
import type { AccountId, Conversation, GatewayError } from "@talaria/protocol";
import type { DeliveryMetrics } from "./metrics.ts";
import type { Pacing } from "./pacing.ts";
import { capabilitiesFor } from "./place.ts";
import { askedPauseMs } from "./retry-delay.ts";

interface Limited {
  readonly adapter: Adapter;
  readonly pacing: Pacing;
  readonly metrics: DeliveryMetrics;
  readonly accountId: AccountId;
}

/** After a rate limit no call is made for as long as the platform asks, in the conversation or in the whole account. */
export function noteRateLimit(
  error: GatewayError,
  conversation: Conversation,
  { adapter, pacing, metrics, accountId }: Limited,
): void {
  if (error.code !== "rate_limited") return;
  const waitMs = askedPauseMs(error);
  const closed = error.details.scope === "account" ? undefined : conversation.conversationId;
  pacing.close(closed, capabilitiesFor(adapter, conversation).conversationPace, waitMs);
  metrics.rateLimited(accountId, waitMs);
}
