import type { TalariaConfig } from "@talaria/config";
import { limitOf } from "@talaria/policy";
import type { AccountId } from "@talaria/protocol";
import { limitsNow, type SpentNow } from "@talaria/sessions";
import type { PairingStore, Spent } from "@talaria/store";

/** Under the limits of now, as far as an operator needs them: everybody's, and those of people that are reached. */
export async function countersNow(
  spent: readonly Spent[],
  pairing: PairingStore,
  config: TalariaConfig,
): Promise<readonly SpentNow[]> {
  if (spent.length === 0) return [];
  const { accountPolicies } = await import("@talaria/app-gateway");
  const policies = accountPolicies(config);
  const policyOf = (accountId: AccountId) => policies.get(accountId);
  const counters = await limitsNow(spent, { policyOf, pairing, spending: config.limits.spending });
  return counters.filter(
    ({ key, isReached }) => isReached || limitOf(key)?.scope === "account" || limitOf(key)?.scope === "total",
  );
}
