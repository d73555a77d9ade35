import { brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import type { DirectSettlement } from "@talaria/store";
import type { LoopGuard } from "./loop-guard.ts";

/** A guest's command, answered only as often as others can wait behind the answers. What it changes is done each time. */
export function paced(
  settlement: DirectSettlement,
  event: InboundEvent,
  command: string,
  loops: LoopGuard,
): DirectSettlement {
  const { notice, idleMarkdown: _, ...rest } = settlement;
  if (notice === undefined) return settlement;
  const pace = loops.commanded(event);
  if (pace === "answered") return onceAMinute(settlement, event, command);
  return pace === "silent" ? rest : { ...rest, notice: { ...notice, markdown: pace.words } };
}

/**
 * What a guest asks of us in a group is answered once a minute for each command: answers go out at the platform's pace, and
 * others wait behind them. What changes something is answered each time.
 */
function onceAMinute(settlement: DirectSettlement, event: InboundEvent, command: string): DirectSettlement {
  const { notice, effect } = settlement;
  const { conversation, sender, receivedAt } = event;
  if (notice === undefined || effect !== undefined || conversation.kind === "direct") return settlement;
  const { accountId, conversationId, threadId = "" } = conversation;
  const minute = Math.floor(Date.parse(receivedAt) / 60_000);
  const key = JSON.stringify(["guest", accountId, conversationId, threadId, sender.userId, command, minute]);
  return { ...settlement, notice: { ...notice, deliveryKey: brandAs<DeliveryKey>(key) } };
}
