import type { AccountPolicy, Conversation, Sender } from "@talaria/protocol";

export type Access = "allowed" | "stranger" | "not_allowed" | "unverified_sender" | "account_off" | "group_not_allowed";

/** Whether somebody may talk to us in a place. `approved` is asked only when it matters. */
export async function accessOf(
  { conversation, sender }: { readonly conversation: Conversation; readonly sender: Sender },
  policy: AccountPolicy,
  approved: () => Promise<boolean>,
): Promise<Access> {
  const { allow, direct, groups, owners } = policy.access;
  if (conversation.kind !== "direct") {
    if (groups === "off") return "account_off";
    if (groups !== "open" && !allow.groups.includes(conversation.conversationId)) return "group_not_allowed";
    return sender.assurance === "claimed" ? "unverified_sender" : "allowed";
  }
  if (direct === "off") return "account_off";
  if (direct === "open") return "allowed";
  // An id that nobody has checked matches no list, and asks for no access in somebody else's name.
  if (sender.assurance === "claimed") return "unverified_sender";
  if (owners.includes(sender.userId) || allow.users.includes(sender.userId)) return "allowed";
  if (direct === "allowlist") return "not_allowed";
  return (await approved()) ? "allowed" : "stranger";
}
