import { type AccountId, type AccountPolicy, isAtLeast, type Log, roles } from "@talaria/protocol";
import { readRole } from "@talaria/sessions";
import type { PairingStore, RightsStore } from "@talaria/store";

export interface FormerRightsDeps {
  readonly rights: RightsStore;
  readonly pairing: Pick<PairingStore, "isApproved">;
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly log: Log;
}

/**
 * Whoever has fewer rights now than when they wrote has nothing that goes on with the former ones: turns that run and calls that wait
 * end, also those of a process that was to tell its end later. A change of the configuration restarts the gateway; taking
 * back a pairing does the same by itself. Accounts that are not configured now are left alone: one may only lack its key.
 */
export async function endFormerRights({ rights, pairing, policyOf, log }: FormerRightsDeps): Promise<void> {
  for (const { accountId, sender, role: then } of await rights.atWork()) {
    const policy = policyOf(accountId);
    if (policy === undefined) continue;
    const { userId } = sender;
    const now = await readRole(sender, policy, () => pairing.isApproved(accountId, userId));
    if (isAtLeast(now, then)) continue;
    const lost = roles.filter((role) => role !== now && isAtLeast(role, now));
    const stopped = await rights.weaken({ accountId, userId, role: now, lost });
    log.info({ accountId, stopped }, "somebody has fewer rights than before: what they had begun with them has ended");
  }
}
