import type { AccountId, AccountPolicy, InboundEvent, UserId } from "@talaria/protocol";
import { brandAs } from "@talaria/protocol";
import type { PairingRow } from "@talaria/store";

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
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly isUserId?: (accountId: AccountId, id: string) => Promise<boolean>;
}

/**
 * The person whom an owner lets in who has not asked, or was left out: `<account>/<id>`, or on the account where the owner writes
 * `<platform>:user:<id>` or the id alone. Only what is the id of a person there counts, so that no name and no code lets anybody in.
 */
export async function unlistedPerson(
  words: string,
  { conversation }: Pick<InboundEvent, "conversation">,
  { policyOf, isUserId }: UnlistedDeps,
): Promise<IdOnAccount | undefined> {
  const given = idOnAccount(words) ?? idHere(words, conversation);
  if (given === undefined || isUserId === undefined || policyOf(given.accountId) === undefined) return undefined;
  return (await isUserId(given.accountId, given.userId)) ? given : undefined;
}

/** How people are shown by number: one of a person who is forgotten is nobody's id. */
const numberForm = /^[0-9a-f]{8}$/;

function idHere(
  words: string,
  { accountId, platform }: Pick<PairingRow, "accountId"> & { readonly platform: string },
): IdOnAccount | undefined {
  const principal = `${platform}:user:`;
  const isPrincipal = words.startsWith(principal);
  if (!isPrincipal && numberForm.test(words)) return undefined;
  return { accountId, userId: brandAs<UserId>(isPrincipal ? words.slice(principal.length) : words) };
}
