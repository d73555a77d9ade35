import type { InboundEvent } from "@talaria/protocol";
import type { Deferral, InboxEntry, Paste } from "../ports/inbox.ts";

/** However many events follow, a deferred one waits no longer than so many times its wait. */
const longestDeferrals = 5;
const longestDeferMs = 3_600_000;
/** For so long an edit or a deletion reaches what an event has included. */
export const correctedWithinMs = 86_400_000;

/** What `record_events` takes of an event. */
export function recordCall({
  sessionKey,
  event,
  route,
  mode,
  role,
  defer,
  paste,
  mediaDeferMs,
  overheard,
  forgetIn,
}: InboxEntry) {
  const own = route === event.conversation || JSON.stringify(route) === JSON.stringify(event.conversation);
  return {
    sessionKey,
    accountId: event.conversation.accountId,
    eventId: event.id,
    conversationId: event.conversation.conversationId,
    messageId: messageIdOf(event),
    senderId: event.sender.userId,
    receivedAt: event.receivedAt,
    mode,
    role,
    body: event,
    ...(own ? {} : { route }),
    ...(defer === undefined ? {} : { defer: deferCall(defer) }),
    ...(paste === undefined || defer !== undefined ? {} : { paste: pasteCall(paste) }),
    ...(mediaDeferMs === undefined ? {} : { mediaMs: deferMs(mediaDeferMs) }),
    ...(overheard === undefined ? {} : { overheard }),
    ...(forgetIn === undefined ? {} : { forget: { place: forgetIn, withinMs: correctedWithinMs } }),
  };
}

function deferCall({ key, ms }: Deferral) {
  return { key, ms: deferMs(ms), longestMs: longestDeferrals * deferMs(ms) };
}

function pasteCall({ key, ms }: Paste) {
  return ms === undefined ? { key } : deferCall({ key, ms });
}

function deferMs(ms: number): number {
  return Math.min(longestDeferMs, Math.max(0, Math.round(ms)));
}

export function messageIdOf(event: InboundEvent): string {
  return "message" in event ? event.message.messageId : event.messageId;
}
