import type { AccountPolicy, Conversation, Sender } from "@talaria/protocol";
import type { PairingStore } from "@talaria/store";

export type Access =
  | "allowed"
  | "stranger"
  | "not_allowed"
  | "unverified_sender"
  | "account_off"
  | "group_not_allowed"
  | "pairing_blocked";

interface Coming {
  readonly conversation: Conversation;
  readonly sender: Sender;
}

/** What an operator has decided beyond the configured lists. Asked only when it matters. */
export interface LetIn {
  /** The sender was paired. */
  readonly approved: () => Promise<boolean>;
  /** An owner has blocked the sender, on the whole account. */
  readonly blocked: () => Promise<boolean>;
  readonly groupAllowed: () => Promise<boolean>;
}

/** Whether somebody may talk to us in a place. */
export async function accessOf(
  coming: Coming,
  policy: AccountPolicy,
  { approved, blocked, groupAllowed }: LetIn,
): Promise<Access> {
  const { conversation, sender } = coming;
  const { direct, groups } = policy.access;
  const isDirect = conversation.kind === "direct";
  if ((isDirect ? direct : groups) === "off") return "account_off";
  if (mayBeBlocked(sender, policy) && (await blocked())) return "pairing_blocked";
  if (!isDirect) {
    if (conversation.guest) return accessOfCaller(sender, policy, approved);
    const isOpen = groups === "open" || policy.access.allow.groups.includes(conversation.conversationId);
    if (!isOpen && !(await groupAllowed())) return "group_not_allowed";
    return sender.assurance === "claimed" ? "unverified_sender" : "allowed";
  }
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

/** What the store knows of somebody in a place. Each of both is looked up once, when it matters. */
export function letIn(
  { conversation, sender }: Coming,
  pairing: Pick<PairingStore, "standingOf" | "isGroupAllowed">,
): LetIn {
  const { accountId, conversationId } = conversation;
  const standing = once(() => pairing.standingOf(accountId, sender.userId));
  return {
    approved: async () => (await standing()) === "approved",
    blocked: async () => (await standing()) === "blocked",
    groupAllowed: once(() => pairing.isGroupAllowed(accountId, conversationId)),
  };
}

/** Whether the configuration names them on the account: then nobody is asked about them, and nobody decides. */
export function isListed({ userId }: Pick<Sender, "userId">, { access: { owners, allow } }: AccountPolicy): boolean {
  return owners.includes(userId) || allow.users.includes(userId);
}

/** Where whoever writes has proven that they may, nobody is let in one by one. */
function mayBeBlocked(sender: Sender, policy: AccountPolicy): boolean {
  return sender.role !== "system" && policy.access.proven === undefined && !isListed(sender, policy);
}

function once<Result>(task: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= task();
    return running;
  };
}
