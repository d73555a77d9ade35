import type { KnownPlace } from "@talaria/agent";

/** How a policy's rules, and the model, name a conversation: `<platform>:user:<id>` or `<platform>:group:<id>`. */
export const addressForm = /^[a-z][a-z0-9-]{0,40}:(?:user|group):\S{1,400}$/;

/** Undefined for a direct conversation in which nobody has written yet, and for an id with blanks. */
export function addressOf({ conversation, person }: KnownPlace): string | undefined {
  const { platform, kind, conversationId } = conversation;
  const id = kind === "direct" ? person?.userId : conversationId;
  const address = `${platform}:${kind === "direct" ? "user" : "group"}:${id}`;
  return id !== undefined && addressForm.test(address) ? address : undefined;
}
