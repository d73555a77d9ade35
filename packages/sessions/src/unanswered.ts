import { brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import type { Unanswered } from "@talaria/store";
import { wordsFor } from "@talaria/words";

/** Messages that wait on a platform arrive in quick succession; the notice leaves when no more came for so long. */
const waitMs = 3_000;
/** But it leaves so long after the first. */
const longestMs = 60_000;

/** Tells a conversation that what was written there long ago is not answered. */
export function unansweredNotice(event: InboundEvent, maxAgeMs: number): Unanswered {
  const { conversation } = event;
  const { notices } = wordsFor(event);
  return {
    text: {
      deliveryKey: brandAs<DeliveryKey>(`unanswered:${conversation.accountId}:${event.id}`),
      kind: "notice",
      conversation,
      markdown: notices.unanswered(1, maxAgeMs),
      attachments: [],
      operational: { topic: "unanswered" },
    },
    many: (count) => notices.unanswered(count, maxAgeMs),
    waitMs,
    longestMs,
  };
}
