import type { AccountId, AccountPolicy, InboundEvent, UserId } from "@talaria/protocol";
import { brandAs } from "@talaria/protocol";
import type { PairingRow, PairingStore, SeenPerson } from "@talaria/store";

export interface IdOnAccount {
  readonly accountId: AccountId;
  readonly userId: UserId;
}

/** `<account>/<id>`, as an operator or owner names somebody who is in no list. Undefined: the words have another form. */
export function idOnAccount(words: string): IdOnAccount | undefined {
  const [, account, id] = /^([a-z0-9-]+)\/(\S+)$/i.exec(words.trim()) ?? [];
  if (account === undefined || id === undefined) return undefined;
  return { accountId: brandAs<AccountId>(account.toLowerCase()), userId: brandAs<UserId>(id) };
}

export interface UnlistedDeps {
  readonly pairing: Pick<PairingStore, "seenAs">;
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly isUserId?: (accountId: AccountId, id: string) => Promise<boolean>;
}

/**
 * The person whom an owner lets in or blocks who has not asked, or was left out: `<account>/<id>`, or on the account where the owner
 * writes `<platform>:user:<id>` or the id alone. Only what is the id of a person there counts, so that no name and no code lets anybody
 * in. A bare number as small as a place in a list counts only as the id of somebody who has written; who is blocked by the id alone may
 * also have written on another account.
 */
export async function unlistedPerson(
  verb: "add" | "block",
  words: string,
  { conversation }: Pick<InboundEvent, "conversation">,
  { pairing, policyOf, isUserId }: UnlistedDeps,
): Promise<(IdOnAccount & Partial<Pick<SeenPerson, "displayName">>) | undefined> {
  const given = idMeant(words, conversation);
  if (given === undefined || isUserId === undefined) return undefined;
  const seen = await pairing.seenAs(given.userId);
  const here = seen.find(({ accountId }) => accountId === given.accountId);
  const elsewhere = verb === "block" && given.isAlone && here === undefined && seen.length === 1 ? seen[0] : undefined;
  const { accountId, displayName } = here ?? elsewhere ?? { ...given, displayName: undefined };
  const { userId } = given;
  if (policyOf(accountId) === undefined) return undefined;
  const isKnown = displayName !== undefined;
  if (given.isAlone && !isKnown && (numberForm.test(words) || smallNumber.test(words))) return undefined;
  if (!(await isUserId(accountId, userId))) return undefined;
  return { accountId, userId, ...(isKnown ? { displayName } : {}) };
}

/** How people are shown by number: one of a person who is forgotten is nobody's id. */
const numberForm = /^[0-9a-f]{8}$/;
/** What somebody may write who counts the lines of a list. */
const smallNumber = /^\d{1,4}$/;

/** What the words are if they are the id of a person. `isAlone`: they name no account and no platform. */
export function idMeant(
  words: string,
  { accountId, platform }: Pick<PairingRow, "accountId"> & { readonly platform: string },
): (IdOnAccount & { readonly isAlone: boolean }) | undefined {
  const onAccount = idOnAccount(words);
  if (onAccount !== undefined) return { ...onAccount, isAlone: false };
  const principal = `${platform}:user:`;
  const isAlone = !words.startsWith(principal);
  const id = isAlone ? words : words.slice(principal.length);
  return id === "" || /\s/.test(id) ? undefined : { accountId, userId: brandAs<UserId>(id), isAlone };
}
