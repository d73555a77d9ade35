import type { InboundEvent, MessageId, ReceivedMessage } from "@talaria/protocol";
import type { InboxStore } from "@talaria/store";
import { accessOf, letIn } from "./access.ts";
import type { StillAllowedDeps } from "./still-allowed.ts";

/**
 * The first of these messages to an account that somebody wrote or got, in whatever conversation. Undefined where nobody has proven who
 * asks, and where the message's own sender may not be heard any more.
 */
export async function receivedBy(
  { conversation: { accountId }, sender }: Pick<InboundEvent, "conversation" | "sender">,
  messageIds: readonly MessageId[],
  { inbox, policyOf, pairing }: StillAllowedDeps & { readonly inbox: Pick<InboxStore, "received"> },
): Promise<ReceivedMessage | undefined> {
  const policy = policyOf(accountId);
  if (policy === undefined || sender.assurance === "claimed") return undefined;
  const found = await inbox.received(accountId, sender.userId, messageIds);
  if (found === undefined) return undefined;
  const access = await accessOf(found, policy, letIn(found, pairing));
  return access === "allowed" ? found : undefined;
}
