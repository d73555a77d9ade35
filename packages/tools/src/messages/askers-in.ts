import type { MessageAccess, ToolContext } from "@talaria/agent";
import { type Asker, GatewayError } from "@talaria/protocol";

/** Everyone who asks, with the role that they have here. */
export function askersIn({ requesters, roles }: Pick<ToolContext, "requesters" | "roles">): readonly Asker[] {
  return requesters.map((sender) => ({ sender, role: roles.get(sender.userId) ?? "guest" }));
}

/** Throws `unsupported` where no other conversation can be reached. */
export function messagesOf({ messages }: Pick<ToolContext, "messages">): MessageAccess {
  if (messages !== undefined) return messages;
  throw new GatewayError("no other conversation can be reached from here", { code: "unsupported" });
}
