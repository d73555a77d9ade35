import { type Charge, chargesOf, type SpendingLimits } from "@talaria/policy";
import { type AccountPolicy, type InboundEvent, isAtLeast } from "@talaria/protocol";
import type { OperationsStore } from "@talaria/store";
import { type LeftLimit as LimitInWords, type Words, wordsFor } from "@talaria/words";
import { readRole } from "./role.ts";

const dayMs = 86_400_000;

export interface SpendingTextDeps {
  readonly spending: SpendingLimits;
  readonly operations: Pick<OperationsStore, "spent">;
  readonly policy: AccountPolicy;
  /** Whether the sender was paired. */
  readonly approved: () => Promise<boolean>;
}

/** What the sender of an event has used of the limits that apply to it. Empty without limits. */
export async function spendingText(event: InboundEvent, deps: SpendingTextDeps): Promise<string> {
  const words = wordsFor(event);
  const limited = await limitsFor(event, deps);
  const currency = deps.spending.currency ?? "";
  return limited.length === 0 ? "" : words.notices.spending(limited.map((limit) => lineOf(limit, currency, words)));
}

/** What is left of them, each of a day or more on a line. Empty without such limits. */
export async function leftText(event: InboundEvent, deps: SpendingTextDeps): Promise<string> {
  const words = wordsFor(event);
  const limited = (await limitsFor(event, deps)).filter(({ windowMs }) => windowMs >= dayMs);
  const currency = deps.spending.currency ?? "";
  return limited.length === 0 ? "" : words.notices.left(limited.map((limit) => leftOf(limit, currency, words)));
}

/** One limit of those that apply to somebody, with what is left of it in words. */
export interface LeftLimit extends Pick<Charge, "scope" | "unit">, LimitInWords {
  readonly isDaily: boolean;
}

/** What is left of every limit that applies to the sender of an event, the narrowest first; to a guest, of their own. */
export async function leftLimits(event: InboundEvent, deps: SpendingTextDeps): Promise<readonly LeftLimit[]> {
  const currency = deps.spending.currency ?? "";
  const words = wordsFor(event);
  return (await limitsFor(event, deps)).map((limit) => {
    const { scope, unit, windowMs } = limit;
    return { ...leftOf(limit, currency, words), scope, unit, isDaily: windowMs >= dayMs };
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

function leftOf({ max, used, endsInMs, liftedForMs, ...limit }: Limit, currency: string, { limits }: Words) {
  const what = limits.left(limit, Math.max(0, max - used), max, currency);
  return { whose: limits.whose[limit.scope], what, endsInMs, liftedForMs };
}

function lineOf({ max, used, endsInMs, liftedForMs, ...limit }: Limit, currency: string, { limits }: Words): string {
  const until = used >= max && liftedForMs === undefined ? endsInMs : undefined;
  return limits.used(limit, used, max, currency, until);
}
