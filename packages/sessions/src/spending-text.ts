import { type Charge, chargesOf, moneyText, type SpendingLimits, type SpendingScope } from "@talaria/policy";
import type { AccountPolicy, InboundEvent } from "@talaria/protocol";
import type { OperationsStore } from "@talaria/store";
import { notices } from "./notices.ts";
import { readRole } from "./role.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
const owners: Readonly<Record<SpendingScope, string>> = {
  person: "you",
  conversation: "this conversation",
  account: "this account",
  total: "all accounts",
};

export interface SpendingTextDeps {
  readonly spending: SpendingLimits;
  readonly operations: Pick<OperationsStore, "spent">;
  readonly policy: AccountPolicy;
  /** Whether the sender was paired. */
  readonly approved: () => Promise<boolean>;
}

/** What the sender of an event has used of the limits that apply to it. Empty without limits. */
export async function spendingText(event: InboundEvent, deps: SpendingTextDeps): Promise<string> {
  const { conversation, sender } = event;
  const { accountId, conversationId } = conversation;
  const role = await readRole(sender, deps.policy, deps.approved);
  const charges = chargesOf({ role, accountId, conversationId, sender }, deps.spending);
  const limited = charges.flatMap(({ max, ...charge }) => (max === null ? [] : [{ ...charge, max }]));
  if (limited.length === 0) return "";
  const spent = new Map((await deps.operations.spent(limited.map(({ key }) => key))).map((one) => [one.key, one.used]));
  return notices.spending(
    limited.map((charge) => lineOf(charge, spent.get(charge.key) ?? 0, deps.spending.currency ?? "")),
  );
}

function lineOf({ scope, unit, windowMs, max }: Charge & { readonly max: number }, used: number, currency: string) {
  const period = windowMs <= minuteMs ? "this minute" : windowMs <= dayMs ? "in 24 hours" : "in 30 days";
  if (unit === "money")
    return notices.spentOf(owners[scope], moneyText(used, currency), moneyText(max, currency), period);
  const [left, of] = [used, max].map((count) => count.toLocaleString("en"));
  return notices.spentOf(owners[scope], `${left}`, `${of} ${unit}`, period);
}
