import type { AccountPolicy } from "@talaria/protocol";
import { type InboundEvent, sessionKeyOf } from "@talaria/protocol";
import type { DirectSettlement, HearingLimits } from "@talaria/store";
import { isBlank } from "./blank.ts";

/** UTF-16 units of one overheard message; what is longer is cut. */
const maxTextChars = 1_000;

/** Where and how much is overheard; undefined where nothing is. What is said is shared, also where memories are not. */
export function hearingOf({ conversation, sender }: InboundEvent, policy: AccountPolicy): HearingLimits | undefined {
  const { ambient } = policy.groups;
  if (conversation.kind === "direct" || ambient.messages === 0) return undefined;
  const scope = policy.sessions.groups === "conversation" ? "conversation" : "thread";
  return { place: sessionKeyOf(conversation, sender, scope), ...ambient };
}

/** What is kept of a message that was not said to us: its text, cut. Undefined when it has none. */
export function overheardOf(event: InboundEvent, policy: AccountPolicy): DirectSettlement["overheard"] | undefined {
  if (event.type !== "message.created" && event.type !== "message.edited") return undefined;
  const limits = hearingOf(event, policy);
  const { messageId, markdown } = event.message;
  const ageMs = Date.parse(event.receivedAt) - Date.parse(event.occurredAt);
  if (limits === undefined || ageMs > limits.maxAgeMs || isBlank(markdown)) return undefined;
  const message = { messageId, sender: event.sender, markdown: cut(markdown), at: event.occurredAt };
  return { ...limits, message, edited: event.type === "message.edited" };
}

function cut(text: string): string {
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars).toWellFormed()} …`;
}
