import { brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import type { Unanswered } from "@talaria/store";
import { notices } from "./notices.ts";

/** Messages that wait on a platform arrive in quick succession; the notice leaves when no more came for so long. */
const waitMs = 3_000;
/** But it leaves so long after the first. */
const longestMs = 60_000;

/** Tells a conversation that what was written there long ago is not answered. */
export function unansweredNotice(event: InboundEvent, maxAgeMs: number): Unanswered {
  const { conversation } = event;
  const age = durationText(maxAgeMs);
  return {
    text: {
      deliveryKey: brandAs<DeliveryKey>(`unanswered:${conversation.accountId}:${event.id}`),
      kind: "notice",
      conversation,
      markdown: notices.unanswered(1, age),
      attachments: [],
      operational: { topic: "unanswered" },
    },
    many: (count) => notices.unanswered(count, age),
    waitMs,
    longestMs,
  };
}

/** In the largest unit that fits: `1 hour`, `24 hours`, `3 days`. */
function durationText(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours > 48) return counted(Math.floor(hours / 24), "day");
  return hours >= 1 ? counted(Math.floor(hours), "hour") : counted(Math.max(1, Math.floor(ms / 60_000)), "minute");
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
