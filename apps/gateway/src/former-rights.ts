import {
  type AccountId,
  type AccountPolicy,
  isAtLeast,
  type Log,
  type Mandate,
  type ProcessId,
  roles,
  type SessionKey,
} from "@talaria/protocol";
import { isStillAllowed, readRole, tellEnded } from "@talaria/sessions";
import type { PairingStore, PersonAtWork, RightsStore } from "@talaria/store";

export interface FormerRightsDeps {
  readonly rights: Pick<RightsStore, "atWork" | "weaken" | "shut">;
  readonly pairing: Pick<PairingStore, "isApproved" | "standingOf" | "isGroupAllowed">;
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  /** What a webhook's route may do by now on an owner's behalf, by its account. */
  readonly mandateOf: (accountId: AccountId) => Mandate | undefined;
  /** Tell the other processes. All three are lossy and never throw. */
  readonly wake: (sessionKey: SessionKey) => void;
  readonly cancel: (worker: ProcessId, sessionKey: SessionKey) => void;
  readonly deliver: (accountId: AccountId) => void;
  readonly log: Log;
}

/**
 * Whoever has fewer rights now than when they wrote has nothing that goes on with the former ones: turns that run and calls that wait
 * end, also those of a process that was to tell its end later. Where nobody may write any more who had asked, nothing goes on
 * at all, also of guests. A change of the configuration restarts the gateway; taking back a pairing does the same by itself.
 * Accounts that are not configured now are left alone: one may only lack its key.
 */
export async function endFormerRights(deps: FormerRightsDeps): Promise<void> {
  const people = (await deps.rights.atWork()).filter(({ accountId }) => deps.policyOf(accountId) !== undefined);
  for (const person of people) await endLostRoles(person, deps);
  const places = Map.groupBy(people, ({ accountId, conversation }) => `${accountId}/${conversation.conversationId}`);
  for (const asking of places.values()) await endShutPlace(asking, deps);
}

async function endLostRoles(person: PersonAtWork, deps: FormerRightsDeps): Promise<void> {
  const { accountId, sender, role: then } = person;
  const { rights, pairing, policyOf, log } = deps;
  const policy = policyOf(accountId);
  if (policy === undefined || !isAtLeast(then, "member")) return;
  const { userId } = sender;
  const now = await readRole(sender, policy, () => pairing.isApproved(accountId, userId));
  if (isAtLeast(now, then)) return endLostToolsets(person, deps);
  const lost = roles.filter((role) => role !== now && isAtLeast(role, now));
  const ended = await rights.weaken({ accountId, userId, role: now, lost });
  tellEnded(accountId, ended, deps);
  log.info(
    { accountId, stopped: ended.length },
    "somebody has fewer rights than before: what they had begun with them has ended",
  );
}

/** A route that acts for another owner has what every other route has. */
async function endLostToolsets({ accountId, sender, role: then }: PersonAtWork, deps: FormerRightsDeps): Promise<void> {
  const { rights, mandateOf, log } = deps;
  const { mandate, userId } = sender;
  const now = mandateOf(accountId);
  if (then !== "owner" || mandate === undefined || isWithin(mandate, now)) return;
  const isSameOwner = now !== undefined && now.owner === mandate.owner;
  const ended = await rights.weaken({
    ...{ accountId, userId, lost: ["owner"] },
    ...(isSameOwner ? { role: "owner", mandate: now } : { role: "member" }),
  });
  tellEnded(accountId, ended, deps);
  log.info(
    { accountId, stopped: ended.length },
    "a route may do less than before: what it had begun with more has ended",
  );
}

function isWithin({ owner, toolsets }: Mandate, now: Mandate | undefined): boolean {
  return now?.owner === owner && toolsets.every((name) => now.toolsets.includes(name));
}

async function endShutPlace(asking: readonly PersonAtWork[], deps: FormerRightsDeps): Promise<void> {
  const [first] = asking;
  if (first === undefined) return;
  const { accountId, conversation } = first;
  if (await isStillAllowed(conversation, asking, deps)) return;
  const ended = await deps.rights.shut(accountId, conversation.conversationId);
  tellEnded(accountId, ended, deps);
  deps.log.info(
    { accountId, stopped: ended.length },
    "nobody who had asked may write here any more: what they had begun has ended",
  );
}
