import type { InboundEvent, Role } from "@talaria/protocol";

/** Whether an owner is alone with the agent: nobody else reads the answer. */
export function isOwnerAlone({ sender, conversation }: InboundEvent, role: Role): boolean {
  return sender.role === "person" && role === "owner" && conversation.kind === "direct";
}
