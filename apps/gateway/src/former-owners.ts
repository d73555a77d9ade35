import { type AccountId, type AccountPolicy, isAtLeast, type Log, type UserId } from "@talaria/protocol";
import type { CallStore } from "@talaria/store";

export interface FormerOwnersDeps {
  readonly calls: Pick<CallStore, "homes" | "removeHome" | "ownersGrants" | "removeGrant">;
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly log: Log;
}

/**
 * Whoever is no owner any more, or of an account that is gone, is asked no longer, and what they have agreed to counts no longer.
 * A change of owners restarts the gateway.
 */
export async function forgetFormerOwners({ calls, policyOf, log }: FormerOwnersDeps): Promise<void> {
  const isOwner = (accountId: AccountId, userId: UserId) => {
    const access = policyOf(accountId)?.access;
    return access?.owners.includes(userId) || isAtLeast(access?.proven ?? "unverified", "owner");
  };
  for (const home of await calls.homes()) {
    const { accountId } = home.conversation;
    if (isOwner(accountId, home.userId)) continue;
    await calls.removeHome(home);
    log.info({ accountId }, "somebody who is no owner any more is not asked for approvals");
  }
  for (const { id, accountId, userId } of await calls.ownersGrants()) {
    if (isOwner(accountId, userId)) continue;
    await calls.removeGrant(id);
    log.info({ accountId, id }, "what somebody who is no owner any more had agreed to has ended");
  }
}
