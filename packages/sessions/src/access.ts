import type { AccountPolicy, Conversation, Sender } from "@talaria/protocol";

export type Access = "allowed" | "stranger" | "not_allowed" | "unverified_sender" | "account_off" | "group_not_allowed";

interface Coming {
  readonly conversation: Conversation;
  readonly sender: Sender;
}

/** Whether somebody may talk to us in a place. `approved` is asked only when it matters. */
export async function accessOf(
  coming: Coming,
  policy: AccountPolicy,
  approved: () => Promise<boolean>,
): Promise<Access> {
  const { conversation, sender } = coming;
  const { direct, groups } = policy.access;
  if (conversation.kind !== "direct") {
    if (groups === "off") return "account_off";
    if (conversation.guest) return accessOfCaller(sender, policy, approved);
    if (groups !== "open" && !policy.access.allow.groups.includes(conversation.conversationId))
      return "group_not_allowed";
    return sender.assurance === "claimed" ? "unverified_sender" : "allowed";
  }
  if (direct === "off") return "account_off";
  if (direct === "open") return "allowed";
  // An id that nobody has checked matches no list, and asks for no access in somebody else's name.
  if (sender.assurance === "claimed") return "unverified_sender";
  if (isListed(sender, policy)) return "allowed";
  if (direct === "allowlist") return "not_allowed";
  return (await approved()) ? "allowed" : "stranger";
}

/** Who calls us into a foreign chat has to be known, since the chat is not. Nobody there is offered to ask for access. */
async function accessOfCaller(
  sender: Sender,
  policy: AccountPolicy,
  approved: () => Promise<boolean>,
): Promise<Access> {
  if (sender.assurance === "claimed") return "unverified_sender";
  if (policy.access.groups === "open" || isListed(sender, policy)) return "allowed";
  return (await approved()) ? "allowed" : "not_allowed";
}

function isListed({ userId }: Sender, { access: { owners, allow } }: AccountPolicy): boolean {
  return owners.includes(userId) || allow.users.includes(userId);
}
