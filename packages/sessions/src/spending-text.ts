import { chargesOf, type SpendingLimits, type SpendingScope, type SpendingUnit } from "@talaria/policy";
import type { AccountPolicy, InboundEvent } from "@talaria/protocol";
import type { OperationsStore } from "@talaria/store";
import { notices } from "./notices.ts";
import { readRole } from "./role.ts";

const periods: Readonly<Record<SpendingUnit, string>> = { turns: "this minute", tokens: "in 24 hours" };
const owners: Readonly<Record<SpendingScope, string>> = {
  person: "you",
  conversation: "this conversation",
  account: "this account",
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
    limited.map(({ key, scope, unit, max }) =>
      notices.spent(owners[scope], spent.get(key) ?? 0, max, unit, periods[unit]),
    ),
  );
}
