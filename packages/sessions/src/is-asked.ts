import { type InboundEvent, isAtLeast } from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";

/** Whoever asked the agent is asked. Nobody answers under an id that was not checked. */
export function isAsked({ askers }: Pick<OpenCall, "askers">, { sender }: InboundEvent): boolean {
  if (sender.role !== "person" || sender.assurance === "claimed") return false;
  return askers.some((one) => one.sender.userId === sender.userId && isAtLeast(one.role, "guest"));
}
