import { type InboundEvent, spoken } from "@talaria/protocol";
import type { Home } from "@talaria/store";
import type { Decision } from "./admit.ts";
import type { GateDeps } from "./gate-deps.ts";
import { roleOf } from "./role.ts";

/** Whether it is an owner's now. A change of owners ends their places only when the gateway begins again. */
export function isOwnersPlace({ userId, conversation }: Home, policyOf: GateDeps["policyOf"]): boolean {
  const policy = policyOf(conversation.accountId);
  return policy !== undefined && roleOf({ userId, assurance: "platform" }, policy, false) === "owner";
}

/**
 * Remembers where an owner wrote last in a direct conversation: there owners are told as long as nobody has named a home. What is
 * known already is not written again; whoever begins anew writes it once more.
 */
export class OwnersPlaces {
  #last: string | undefined;

  async note(
    { kind: decided }: Decision,
    { conversation, sender }: InboundEvent,
    { calls, policyOf }: Pick<GateDeps, "policyOf"> & { readonly calls: Pick<GateDeps["calls"], "noteOwnerPlace"> },
  ): Promise<void> {
    if (decided === "echo" || decided === "refuse") return;
    const { accountId, conversationId, threadId, kind } = conversation;
    if (kind !== "direct" || sender.role !== "person" || sender.assurance === "claimed") return;
    if (policyOf(accountId)?.access.owners.includes(sender.userId) !== true) return;
    const place = JSON.stringify([accountId, conversationId, threadId, sender.userId]);
    if (place === this.#last) return;
    await calls.noteOwnerPlace({ userId: sender.userId, conversation, ...spoken(sender.language) });
    this.#last = place;
  }
}
