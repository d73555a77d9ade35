import type { AccountId, AccountPolicy, Conversation, Sender } from "@talaria/protocol";
import type { PairingStore } from "@talaria/store";
import { accessOf, letIn } from "./access.ts";

/** Whose words an answer is made of, and where they said them. */
export interface Asker {
  readonly conversation: Conversation;
  readonly sender: Sender;
}

export interface StillAllowedDeps {
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly pairing: Pick<PairingStore, "standingOf" | "isGroupAllowed">;
}

/**
 * Whether a text may go to a conversation now, as a message from there would be let in now. A group counts as a whole;
 * in a direct conversation one of those who asked must still be allowed. An answer that the operator sends elsewhere
 * than it was asked for is the operator's, also when a call of it was approved meanwhile, and a notice (no `askers`) needs nobody in particular: a stranger gets one.
 */
export async function isStillAllowed(
  conversation: Conversation,
  askers: readonly Asker[],
  { policyOf, pairing }: StillAllowedDeps,
): Promise<boolean> {
  const { accountId, conversationId } = conversation;
  const policy = policyOf(accountId);
  if (policy === undefined) return false;
  const here = askers.filter(
    ({ conversation: asked, sender }) => sender.role !== "system" && isSamePlace(asked, accountId, conversationId),
  );
  if (here.length === 0) return true;
  for (const asker of here) {
    const access = await accessOf(asker, policy, letIn(asker, pairing));
    if (access === "allowed") return true;
  }
  return false;
}

function isSamePlace(one: Conversation, accountId: AccountId, conversationId: Conversation["conversationId"]): boolean {
  return one.accountId === accountId && one.conversationId === conversationId;
}
