import type { Platform, Role, Sender, UserId } from "@talaria/protocol";
import { oneLine } from "./untrusted-text.ts";

/** Names an account across platforms: `telegram:user:42`. */
export function accountName(platform: Platform, userId: UserId): string {
  return `${platform}:user:${userId}`;
}

/** The name a person chose, or the account's where that name has nothing visible. */
export function senderName(sender: Pick<Sender, "displayName" | "userId">): string {
  return oneLine(sender.displayName) || oneLine(sender.userId);
}

/** How the model is told what somebody may do, or that no person wrote. */
export function senderRole(sender: Sender, role: Role = "guest"): string {
  return sender.role === "person" ? role : sender.role;
}
