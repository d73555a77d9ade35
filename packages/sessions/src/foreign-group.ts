import { type AccountPolicy, brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import type { CallStore, OutboxStore, OutboxText } from "@talaria/store";
import { codeOf, placeName } from "./approval-notices.ts";
import type { GateDeps } from "./gate-deps.ts";

export interface ForeignGroupDeps extends Pick<GateDeps, "deliver"> {
  readonly calls: Pick<CallStore, "homes">;
  readonly outbox: Pick<OutboxStore, "add">;
}

/**
 * An owner who writes in a group that is not let in reads at home, once for each group, how to let it in: there they get no answer. Nobody
 * else brings anybody a message by what they write.
 */
export async function tellOwnerOfGroup(
  { conversation, sender }: InboundEvent,
  { access }: AccountPolicy,
  { calls, outbox, deliver }: ForeignGroupDeps,
): Promise<void> {
  const { accountId, conversationId } = conversation;
  if (sender.role !== "person" || sender.assurance === "claimed" || !access.owners.includes(sender.userId)) return;
  const isTheirs = (home: Awaited<ReturnType<CallStore["homes"]>>[number]) =>
    home.conversation.accountId === accountId && home.userId === sender.userId;
  const home = (await calls.homes()).find(isTheirs);
  if (home === undefined) return;
  const text: OutboxText = {
    deliveryKey: brandAs<DeliveryKey>(`group:${accountId}:${sender.userId}:${conversationId}`),
    kind: "notice",
    conversation: home.conversation,
    markdown: wordsOf(conversation),
    attachments: [],
  };
  await outbox.add([text]);
  deliver(accountId);
}

/** An id that a shell would read as more than a word is not offered to be copied. */
function wordsOf(conversation: InboundEvent["conversation"]): string {
  const { conversationId } = conversation;
  const isWord = /^[\w./:@+-]+$/.test(conversationId);
  const command = isWord ? `talaria groups allow ${conversationId}` : "talaria groups";
  const does = isWord ? "lets it in" : "shows how to let it in";
  return `You wrote in ${placeName(conversation)}, a group that is not let in: I answer nobody there. ${codeOf(command)}, where I run, ${does}.`;
}
