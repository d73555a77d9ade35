import type { AccountPolicy, Role, Sender } from "@talaria/protocol";

/**
 * What a sender may do in the conversations of one account. `isApproved`: an operator has approved them by pairing, which
 * counts only where strangers may ask for it. An id that nobody checked matches no list.
 */
export function roleOf(
  sender: Pick<Sender, "userId" | "assurance">,
  { access }: AccountPolicy,
  isApproved: boolean,
): Role {
  if (sender.assurance === "claimed") return "unverified";
  if (access.proven !== undefined) return access.proven;
  if (access.owners.includes(sender.userId)) return "owner";
  if (access.allow.users.includes(sender.userId)) return "member";
  return access.direct === "pairing" && isApproved ? "member" : "guest";
}

/** As `roleOf`. The store is asked about pairing only when the answer depends on it. */
export async function readRole(
  sender: Sender,
  policy: AccountPolicy,
  isApproved: () => Promise<boolean>,
): Promise<Role> {
  const known = roleOf(sender, policy, false);
  return known === "guest" && policy.access.direct === "pairing" ? roleOf(sender, policy, await isApproved()) : known;
}
