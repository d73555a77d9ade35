import type { AccountId, AccountPolicy, Log } from "@talaria/protocol";
import { isListed, welcomesFor } from "@talaria/sessions";
import type { PairingStore } from "@talaria/store";

export interface WithdrawListedDeps {
  readonly pairing: Pick<PairingStore, "list" | "decide">;
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly log: Log;
}

/**
 * Nobody decides about whoever has been named in the configuration since they asked: their request goes, and with it the questions about it.
 * A change of the configuration restarts the gateway.
 */
export async function withdrawListed({ pairing, policyOf, log }: WithdrawListedDeps): Promise<void> {
  for (const row of await pairing.list()) {
    const policy = row.state === "waiting" ? policyOf(row.accountId) : undefined;
    if (policy === undefined || !isListed(row, policy)) continue;
    await pairing.decide({ id: row.id, from: ["waiting"], to: "forgotten", ...welcomesFor(row) });
    log.info(
      { accountId: row.accountId, senderId: row.userId },
      "somebody who waited is in the configuration now: nobody is asked about them any more",
    );
  }
}
