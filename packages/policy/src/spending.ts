import { type AccountId, type ConversationId, isAtLeast, type Role, type Sender } from "@talaria/protocol";

export type SpendingUnit = "turns" | "tokens";
export type SpendingScope = "person" | "conversation" | "account";

/** `off`: no limit, and nothing is counted. 0: nothing is allowed. */
export interface SpendingLimit {
  readonly turnsPerMinute: number | "off";
  readonly tokensPerDay: number | "off";
}

export interface SpendingLimits {
  /** For each member. */
  readonly person: SpendingLimit;
  /** For each guest, in place of `person`. */
  readonly guest: SpendingLimit;
  readonly conversation: SpendingLimit;
  readonly account: SpendingLimit;
}

export interface SpenderIdentity {
  readonly role: Role;
  readonly accountId: AccountId;
  readonly conversationId: ConversationId;
  readonly sender: Pick<Sender, "userId" | "role" | "assurance">;
}

/** One counter that a turn is charged to. */
export interface Charge {
  /** Names the counter: the same for everybody who shares it. */
  readonly key: string;
  readonly scope: SpendingScope;
  readonly unit: SpendingUnit;
  /** The window begins with the first use and lasts this many milliseconds. */
  readonly windowMs: number;
  /** Reached when the counter stands at this value or above. Null: use is counted and never refused. */
  readonly max: number | null;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The part of a shared limit that guests can use up. The rest stays for members. */
const guestShare = 0.5;

/** Senders whose id nobody has checked share one counter: they could write under a new id each time. */
const unverified = "(unverified)";

/**
 * The counters of one sender, the narrowest first. An owner is counted and never refused. A guest is refused as soon as the
 * conversation or the account has used half of its limit, so that guests can't use up what members need. A system event has
 * no person behind it and is charged to its account alone.
 */
export function chargesOf(spender: SpenderIdentity, limits: SpendingLimits): readonly Charge[] {
  const { role, accountId, conversationId, sender } = spender;
  if (sender.role === "system") return chargesFor("account", [accountId], limits.account, "member");
  const account = chargesFor("account", [accountId], limits.account, role);
  const userId = sender.assurance === "claimed" ? unverified : sender.userId;
  const own = isAtLeast(role, "member") ? limits.person : limits.guest;
  return [
    ...chargesFor("person", [accountId, userId], own, role),
    ...chargesFor("conversation", [accountId, conversationId], limits.conversation, role),
    ...account,
  ];
}

function chargesFor(scope: SpendingScope, ids: readonly string[], limit: SpendingLimit, role: Role): readonly Charge[] {
  const charge = (unit: SpendingUnit, windowMs: number, max: number | "off"): readonly Charge[] => {
    if (max === "off") return [];
    return [{ key: [unit, scope, ...ids].join("/"), scope, unit, windowMs, max: maxFor(role, scope, max) }];
  };
  return [...charge("turns", minuteMs, limit.turnsPerMinute), ...charge("tokens", dayMs, limit.tokensPerDay)];
}

function maxFor(role: Role, scope: SpendingScope, max: number): number | null {
  if (role === "owner") return null;
  return !isAtLeast(role, "member") && scope !== "person" ? Math.ceil(max * guestShare) : max;
}
