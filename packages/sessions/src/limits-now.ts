import { chargesOf, limitOf, type SpendingLimits } from "@talaria/policy";
import { type AccountId, type AccountPolicy, brandAs, type ConversationId, type UserId } from "@talaria/protocol";
import type { PairingStore, Spent } from "@talaria/store";
import { readRole } from "./role.ts";

export interface LimitsNowDeps {
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly pairing: Pick<PairingStore, "isApproved" | "seen">;
  readonly spending: SpendingLimits;
}

/** `max` is that of the configuration now, not of when somebody was charged last. */
export interface SpentNow extends Spent {
  readonly isReached: boolean;
  /** Of a person's counter, as they called themselves last: a stranger's words. */
  readonly displayName?: string;
}

type Counter = Pick<Parameters<typeof chargesOf>[0], "accountId" | "conversationId" | "sender">;

/**
 * What counts now for counters that were written under limits of then, and whose they are. A limit is reached whose last charge says so,
 * and whose present one still does; guests are refused from half of what is shared on.
 */
export async function limitsNow(spent: readonly Spent[], deps: LimitsNowDeps): Promise<readonly SpentNow[]> {
  const seen = spent.some(({ key }) => limitOf(key)?.scope === "person") ? await deps.pairing.seen() : [];
  const names = new Map(seen.map((one) => [`${one.accountId}/${one.userId}`, one.displayName]));
  return Promise.all(
    spent.map(async ({ max: then, ...one }) => {
      const counter = counterOf(one.key);
      const max = await maxNow(one.key, counter, deps);
      const wasReached = one.refused > 0 || (then !== undefined && one.used >= then);
      const first = one.refused > 0 ? (maxFor("guest", one.key, counter, deps.spending) ?? max) : max;
      const displayName = names.get(`${counter.accountId}/${counter.sender.userId}`);
      return {
        ...one,
        ...(max === undefined ? {} : { max }),
        isReached: wasReached && isAt(one, isShared(one.key) ? first : max),
        ...(displayName === undefined || displayName === "" ? {} : { displayName }),
      };
    }),
  );
}

function isAt({ used }: Pick<Spent, "used">, max: number | undefined): boolean {
  return max !== undefined && used >= max;
}

function isShared(key: string): boolean {
  return limitOf(key)?.scope !== "person";
}

/** Undefined: nobody is refused by it. */
async function maxNow(
  key: string,
  counter: Counter,
  { policyOf, pairing, spending }: LimitsNowDeps,
): Promise<number | undefined> {
  if (isShared(key)) return maxFor("member", key, counter, spending);
  const { accountId, sender } = counter;
  const policy = policyOf(accountId);
  if (policy === undefined) return undefined;
  const person = { ...sender, displayName: "" };
  const role = await readRole(person, policy, () => pairing.isApproved(accountId, sender.userId));
  return maxFor(role, key, counter, spending);
}

function maxFor(
  role: Parameters<typeof chargesOf>[0]["role"],
  key: string,
  counter: Counter,
  limits: SpendingLimits,
): number | undefined {
  return chargesOf({ role, ...counter }, limits).find((charge) => charge.key === key)?.max ?? undefined;
}

/** `<unit>/<scope>/<account>/<the person's or the conversation's own id>`. */
function counterOf(key: string): Counter {
  const [, , account = "", ...rest] = key.split("/");
  const own = rest.join("/");
  const assurance = own === "(unverified)" ? "claimed" : "platform";
  return {
    accountId: brandAs<AccountId>(account),
    conversationId: brandAs<ConversationId>(own),
    sender: { userId: brandAs<UserId>(own), role: "person", assurance },
  };
}
