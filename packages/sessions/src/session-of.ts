import { type AccountPolicy, type InboundEvent, type SessionKey, sessionKeyOf } from "@talaria/protocol";

/** The session that an event belongs to, as its account shares memories. */
export function sessionOf(
  { conversation, sender }: Pick<InboundEvent, "conversation" | "sender">,
  { sessions }: Pick<AccountPolicy, "sessions">,
): SessionKey {
  const scope = conversation.kind === "direct" ? sessions.direct : sessions.groups;
  return sessionKeyOf(conversation, sender, scope);
}
