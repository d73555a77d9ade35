import type { Role } from "@talaria/policy";
import type { AccountPolicy, InboundEvent } from "@talaria/protocol";

/** The one sender of the API and the console: they are reached with the operator's own token. */
const operatorPlatform = "web";

/**
 * What the sender of an admitted event may do. A sender on no list is a `guest` here; whoever records the event makes a
 * `member` of one that is paired. An id that nobody has checked is on no list.
 */
export function roleOf({ conversation, sender }: InboundEvent, { access }: AccountPolicy): Role {
  if (conversation.platform === operatorPlatform) return "owner";
  if (sender.role === "system") return "system";
  if (sender.assurance === "claimed") return "guest";
  return access.allow.users.includes(sender.userId) ? "member" : "guest";
}
