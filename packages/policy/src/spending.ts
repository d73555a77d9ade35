import { createHash } from "node:crypto";
import { type AccountId, type ConversationId, isAtLeast, type Role, type Sender } from "@talaria/protocol";
import { microsPerUnit } from "./money.ts";

export type SpendingUnit = "turns" | "tokens" | "money";
export type SpendingScope = "person" | "conversation" | "account" | "total";

/** `off`: no limit, and nothing is counted. 0: nothing is allowed. */
export interface SpendingLimit {
  readonly turnsPerMinute: number | "off";
  readonly turnsPerDay?: number | "off";
  /** Counted as `worthOf` in the agent package says: as many as cost the same when they are read anew. */
  readonly tokensPerDay: number | "off";
  /** In the operator's currency. A month is 30 days. */
  readonly moneyPerMonth?: number | "off";
}

export interface SpendingLimits {
  /** For each member. */
  readonly person: SpendingLimit;
  /** For each owner, in place of `person`. Without it, an owner is counted and never refused. */
  readonly owner?: SpendingLimit;
  /** For each guest, in place of `person`. */
  readonly guest: SpendingLimit;
  readonly conversation: SpendingLimit;
  readonly account: SpendingLimit;
  /** For everything together, in all accounts. */
  readonly total?: SpendingLimit;
  /** Of all prices and limits of money. Only a name. */
  readonly currency?: string;
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
  /**
   * Reached when the counter stands at this value or above. Money in millionths of the currency. Null: use is counted and never
   * refused.
   */
  readonly max: number | null;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const monthMs = 30 * dayMs;

/** What each counter of a limit counts, by the first part of its key. */
const counted = {
  turns: { unit: "turns", windowMs: minuteMs },
  "daily-turns": { unit: "turns", windowMs: dayMs },
  tokens: { unit: "tokens", windowMs: dayMs },
  money: { unit: "money", windowMs: monthMs },
} as const;

/** The part of a shared limit that guests can use up. The rest stays for members. */
const guestShare = 0.5;

/** Senders whose id nobody has checked share one counter: they could write under a new id each time. */
const unverified = "(unverified)";

/**
 * The counters of one sender, the narrowest first. An owner is refused by `owner` alone, and counted by what is shared. A guest is refused as soon as the
 * conversation, the account or everything together has used half of its limit, so that guests can't use up what members need. A
 * system event has no person behind it and is charged to its account and the total alone.
 */
export function chargesOf(spender: SpenderIdentity, limits: SpendingLimits): readonly Charge[] {
  const { role, accountId, conversationId, sender } = spender;
  const shared = (as: Role) => [
    ...chargesFor("account", [accountId], limits.account, as),
    ...(limits.total === undefined ? [] : chargesFor("total", [], limits.total, as)),
  ];
  if (sender.role === "system") return shared("member");
  const userId = sender.assurance === "claimed" ? unverified : sender.userId;
  return [
    ...ownCharges([accountId, userId], limits, role),
    ...chargesFor("conversation", [accountId, conversationId], limits.conversation, role),
    ...shared(role),
  ];
}

/** An owner's own limit is one like a member's: it ends what runs away, and they can lift it. */
function ownCharges(ids: readonly string[], { owner, person, guest }: SpendingLimits, role: Role): readonly Charge[] {
  if (role === "owner" && owner !== undefined) return chargesFor("person", ids, owner, "member");
  return chargesFor("person", ids, isAtLeast(role, "member") ? person : guest, role);
}

/** How people name the counter with this key: 12 hexadecimal digits. */
export function limitId(key: string): string {
  return createHash("md5").update(key).digest("hex").slice(0, 12);
}

/** What the limit of a counter is, as far as its key says. Undefined: no `Charge` has that key. */
export function limitOf(key: string): Pick<Charge, "scope" | "unit" | "windowMs"> | undefined {
  const [name = "", scope] = key.split("/", 2);
  const known = scopes.find((one) => one === scope);
  return known !== undefined && isCounted(name) ? { scope: known, ...counted[name] } : undefined;
}

const scopes: readonly SpendingScope[] = ["person", "conversation", "account", "total"];

function isCounted(name: string): name is keyof typeof counted {
  return Object.hasOwn(counted, name);
}

function chargesFor(scope: SpendingScope, ids: readonly string[], limit: SpendingLimit, role: Role): readonly Charge[] {
  const charge = (name: keyof typeof counted, max: number | "off"): readonly Charge[] => {
    if (max === "off") return [];
    return [{ key: [name, scope, ...ids].join("/"), scope, ...counted[name], max: maxFor(role, scope, max) }];
  };
  const { turnsPerMinute, turnsPerDay = "off", tokensPerDay, moneyPerMonth = "off" } = limit;
  const micros = moneyPerMonth === "off" ? moneyPerMonth : Math.round(moneyPerMonth * microsPerUnit);
  return [
    ...charge("turns", turnsPerMinute),
    ...charge("daily-turns", turnsPerDay),
    ...charge("tokens", tokensPerDay),
    ...charge("money", micros),
  ];
}

function maxFor(role: Role, scope: SpendingScope, max: number): number | null {
  if (role === "owner") return null;
  return !isAtLeast(role, "member") && scope !== "person" ? Math.ceil(max * guestShare) : max;
}
