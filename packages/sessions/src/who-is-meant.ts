import type { AccountId, InboundEvent } from "@talaria/protocol";
import type { PairingRow, PairingStore } from "@talaria/store";
import { numberOf } from "@talaria/words";
import { isListed } from "./access.ts";
import { type PersonVerb, peopleMeant } from "./person-decision.ts";
import { type IdOnAccount, idMeant, type UnlistedDeps } from "./unlisted-person.ts";

interface Deps extends Pick<UnlistedDeps, "policyOf"> {
  readonly pairing: Pick<PairingStore, "find" | "seenAs">;
}

export interface Given {
  readonly verb: PersonVerb;
  readonly who: string;
}

/**
 * Those of the list whom an owner may mean, or the one whom the configuration names. Whatever is somebody's id means them: strangers may
 * call themselves by it. A button's number means nobody else.
 */
export async function whoIsMeant(
  { verb, who }: Given,
  rows: readonly PairingRow[],
  { conversation }: Pick<InboundEvent, "conversation">,
  isButton: boolean,
  { pairing, policyOf }: Deps,
): Promise<{ readonly rows: readonly PairingRow[] } | { readonly listed: IdOnAccount }> {
  const platformOf = (accountId: AccountId) =>
    accountId === conversation.accountId ? conversation.platform : undefined;
  if (isButton) return { rows: peopleMeant(rows, who, verb !== "add", platformOf) };
  const byCode = await pairing.find(who);
  if (byCode !== undefined) return { rows: [byCode] };
  const byId = idMeant(who, conversation);
  const isNumber = rows.some((row) => numberOf(row) === who.toLowerCase());
  if (byId !== undefined && !isNumber && isInConfiguration(byId, policyOf)) return { listed: byId };
  const isName = byId === undefined || (byId.isAlone && (await pairing.seenAs(byId.userId)).length === 0);
  return { rows: peopleMeant(rows, who, verb !== "add" && isName, platformOf) };
}

export function isInConfiguration(one: IdOnAccount, policyOf: Deps["policyOf"]): boolean {
  const policy = policyOf(one.accountId);
  return policy !== undefined && isListed(one, policy);
}
