import { createHash } from "node:crypto";
import { brandAs, type EventId, type InboundEvent } from "@talaria/protocol";

/**
 * A press as the one of its message: whoever presses which button of it, the event has the same id, so the first one counts
 * and every other is known already. Given only to presses that may begin a turn: one that was refused leaves the message to others.
 */
export function pressedOnce(event: InboundEvent): InboundEvent {
  if (event.type !== "action.invoked") return event;
  const { conversation, messageId } = event;
  const place = createHash("sha256")
    .update(JSON.stringify([conversation.conversationId, messageId]))
    .digest("base64url");
  return { ...event, id: brandAs<EventId>(`chosen:${place}`) };
}
