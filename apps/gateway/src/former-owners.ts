import { type AccountId, type AccountPolicy, isAtLeast, type Log, type UserId } from "@talaria/protocol";
import { readRole } from "@talaria/sessions";
import type { CallStore, GivenGrant, PairingStore } from "@talaria/store";

export interface FormerOwnersDeps {
  readonly calls: Pick<
    CallStore,
    "homes" | "notedPlaces" | "restHome" | "restingHomes" | "wakeHome" | "givenGrants" | "removeGrant"
  >;
  readonly pairing: Pick<PairingStore, "isApproved">;
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly log: Log;
}

/**
 * Whoever is no owner any more, or of an account that is gone, is asked no longer until they are again, and what anybody has agreed to
 * counts as long as they may agree to it. A change of owners or members restarts the gateway.
 */
export async function forgetFormerOwners({ calls, pairing, policyOf, log }: FormerOwnersDeps): Promise<void> {
  const isOwner = (accountId: AccountId, userId: UserId) => {
    const access = policyOf(accountId)?.access;
    return access?.owners.includes(userId) || isAtLeast(access?.proven ?? "unverified", "owner");
  };
  for (const home of [...(await calls.homes()), ...(await calls.notedPlaces())]) {
    const { accountId } = home.conversation;
    if (isOwner(accountId, home.userId)) continue;
    await calls.restHome(home);
    log.info({ accountId }, "somebody who is no owner any more is not asked for approvals");
  }
  for (const home of await calls.restingHomes()) {
    if (isOwner(home.conversation.accountId, home.userId)) await calls.wakeHome(home);
  }
  const mayStillAgree = async ({ accountId, by, byRole }: GivenGrant) => {
    if (byRole === "owner") return isOwner(accountId, by.userId);
    const policy = policyOf(accountId);
    if (policy === undefined) return false;
    return isAtLeast(await readRole(by, policy, () => pairing.isApproved(accountId, by.userId)), byRole);
  };
  for (const grant of await calls.givenGrants()) {
    if (await mayStillAgree(grant)) continue;
    await calls.removeGrant(grant.id);
    log.info({ accountId: grant.accountId, id: grant.id }, "what somebody had agreed to with rights of then has ended");
  }
}
