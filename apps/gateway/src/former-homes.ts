import { type AccountId, type AccountPolicy, isAtLeast, type Log } from "@talaria/protocol";
import type { CallStore } from "@talaria/store";

export interface FormerHomesDeps {
  readonly calls: Pick<CallStore, "homes" | "removeHome">;
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly log: Log;
}

/** Whoever is no owner any more, or of an account that is gone, is no longer asked. A change of owners restarts the gateway. */
export async function removeFormerHomes({ calls, policyOf, log }: FormerHomesDeps): Promise<void> {
  for (const home of await calls.homes()) {
    const { accountId } = home.conversation;
    const access = policyOf(accountId)?.access;
    const isOwner = access?.owners.includes(home.userId) || isAtLeast(access?.proven ?? "unverified", "owner");
    if (isOwner) continue;
    await calls.removeHome(home);
    log.info({ accountId }, "somebody who is no owner any more is not asked for approvals");
  }
}
