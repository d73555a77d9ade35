import type { Conversation, GatewayError } from "@talaria/protocol";
import type { AccountContext } from "./context.ts";
import { capabilitiesFor } from "./place.ts";
import { askedPauseMs } from "./retry-delay.ts";

/** Where a platform has limited the rate, no call is made for as long as it asks: there, or in the whole account. */
export function noteRateLimit(
  error: GatewayError,
  conversation: Conversation,
  context: Pick<AccountContext, "adapter" | "pacing" | "metrics" | "accountId">,
): void {
  if (error.code !== "rate_limited") return;
  const { adapter, pacing, metrics, accountId } = context;
  const waitMs = askedPauseMs(error);
  const closed = error.details.scope === "account" ? undefined : conversation.conversationId;
  pacing.close(closed, capabilitiesFor(adapter, conversation).conversationPace, waitMs);
  metrics.rateLimited(accountId, waitMs);
}
