import { type Charge, chargesOf, moneyText, type SpendingLimits, type SpendingScope } from "@talaria/policy";
import { type AccountPolicy, type InboundEvent, isAtLeast } from "@talaria/protocol";
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
  const limited = await limitsFor(event, deps);
  const currency = deps.spending.currency ?? "";
  return limited.length === 0 ? "" : notices.spending(limited.map((limit) => lineOf(limit, currency)));
}

/** What is left of them, each of a day or more on a line. Empty without such limits. */
export async function leftText(event: InboundEvent, deps: SpendingTextDeps): Promise<string> {
  const limited = (await limitsFor(event, deps)).filter(({ windowMs }) => windowMs >= dayMs);
  const currency = deps.spending.currency ?? "";
  return limited.length === 0 ? "" : notices.left(limited.map((limit) => leftOf(limit, currency)));
}

/** One limit of those that apply to somebody, with what is left of it in words. */
export interface LeftLimit extends Pick<Charge, "scope" | "unit"> {
  readonly isDaily: boolean;
  readonly whose: string;
  readonly what: string;
  readonly endsInMs: number | undefined;
  readonly liftedForMs: number | undefined;
}

/** What is left of every limit that applies to the sender of an event, the narrowest first; to a guest, of their own. */
export async function leftLimits(event: InboundEvent, deps: SpendingTextDeps): Promise<readonly LeftLimit[]> {
  const currency = deps.spending.currency ?? "";
  return (await limitsFor(event, deps)).map((limit) => {
    const { scope, unit, windowMs } = limit;
    return { ...leftOf(limit, currency), scope, unit, isDaily: windowMs >= dayMs };
  });
}

interface Limit extends Charge {
  readonly max: number;
  readonly used: number;
  /** Absent: nothing was used yet. */
  readonly endsInMs?: number;
  readonly liftedForMs?: number | undefined;
}

async function limitsFor(event: InboundEvent, deps: SpendingTextDeps): Promise<readonly Limit[]> {
  const { conversation, sender } = event;
  const { accountId, conversationId } = conversation;
  const role = await readRole(sender, deps.policy, deps.approved);
  const charges = chargesOf({ role, accountId, conversationId, sender }, deps.spending);
  // What others have used is none of a guest's business.
  const seen = isAtLeast(role, "member") ? charges : charges.filter(({ scope }) => scope === "person");
  const limited = seen.flatMap(({ max, ...charge }) => (max === null ? [] : [{ ...charge, max }]));
  if (limited.length === 0) return [];
  const spent = new Map((await deps.operations.spent(limited.map(({ key }) => key))).map((one) => [one.key, one]));
  return limited.map((charge) => {
    const { used = 0, endsInMs, liftedForMs } = spent.get(charge.key) ?? {};
    return { ...charge, used, ...(endsInMs === undefined ? {} : { endsInMs }), liftedForMs };
  });
}

function leftOf({ scope, unit, windowMs, max, used, endsInMs, liftedForMs }: Limit, currency: string) {
  const left = Math.max(0, max - used);
  const [rest, whole] = [left, max].map((count) =>
    unit === "money" ? moneyText(count, currency) : count.toLocaleString("en"),
  );
  const what =
    unit === "money"
      ? `${rest} of ${whole}`
      : `${rest} of ${whole} ${unit}${windowMs <= minuteMs ? " this minute" : ""}`;
  return { whose: owners[scope], what, endsInMs, liftedForMs };
}

function lineOf({ scope, unit, windowMs, max, used, endsInMs, liftedForMs }: Limit, currency: string) {
  const period = windowMs <= minuteMs ? "this minute" : windowMs <= dayMs ? "in 24 hours" : "in 30 days";
  const until = used >= max && liftedForMs === undefined ? endsInMs : undefined;
  if (unit === "money")
    return notices.spentOf(owners[scope], moneyText(used, currency), moneyText(max, currency), period, until);
  const [left, of] = [used, max].map((count) => count.toLocaleString("en"));
  return notices.spentOf(owners[scope], `${left}`, `${of} ${unit}`, period, until);
}
