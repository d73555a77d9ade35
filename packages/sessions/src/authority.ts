import { type AccountPolicy, type InboundEvent, isAtLeast, type Role } from "@talaria/protocol";
import type { CommandName } from "./commands.ts";

/** Commands that change what a session remembers or does. */
const changing: ReadonlySet<CommandName> = new Set<CommandName>([
  ...(["new", "stop", "retry", "undo", "branch", "resume", "title", "compact"] as const),
]);

/** `asker`: only while the running turn answers them. */
export type Authority = "allowed" | "asker" | "refused";

/**
 * Whether somebody may give a command. In a group the session belongs to everybody, so a guest may change only what the
 * agent does for them at the moment; a session of their own is theirs. Nobody acts under an id that was not checked.
 */
export function authorityOver(
  command: CommandName,
  { conversation }: Pick<InboundEvent, "conversation">,
  role: Role,
  { sessions }: AccountPolicy,
): Authority {
  if (!changing.has(command)) return "allowed";
  if (role === "unverified") return "refused";
  if (conversation.kind === "direct" || sessions.groups === "sender") return "allowed";
  return isAtLeast(role, "member") ? "allowed" : "asker";
}
