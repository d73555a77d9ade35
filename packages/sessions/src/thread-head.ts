import { brandAs, type InboundEvent, type Quote, type SessionKey, type UserId } from "@talaria/protocol";
import type { ThreadHead } from "@talaria/store";
import { isBlank } from "./blank.ts";
import type { GateDeps } from "./gate-deps.ts";

/** Platforms have their own ids for this account; none looks like this one. */
const ourselves = brandAs<UserId>("agent");

/**
 * The first message of a thread, with what it stands below as a quote: a thread has a session of its own, which would begin without. Of a
 * message of ours or to us that is question and answer, of others what the adapter knows. On the platforms whose people talk in threads,
 * a thread is named by its first message.
 */
export async function withThreadHead(
  event: InboundEvent,
  sessionKey: SessionKey,
  { agentName, inbox }: Pick<GateDeps, "agentName" | "inbox">,
): Promise<InboundEvent> {
  const { threadId } = event.conversation;
  if (event.type !== "message.created" || threadId === undefined) return event;
  const { quote, markdown, attachments } = event.message;
  if (quote !== undefined && quote.fact !== true && quote.head !== true) return event;
  const head = await inbox.threadHead(event.conversation, threadId, sessionKey);
  // Whoever says nothing of their own means what the thread stands below.
  if (head === "begun")
    return isBlank(markdown) && attachments.length === 0 ? unmarked(event) : withoutThreadHead(event);
  if (head === undefined) return unmarked(event);
  return { ...event, message: { ...event.message, quote: quoteOf(head, agentName) } };
}

/** The event without what an adapter tells of the beginning of its thread. */
export function withoutThreadHead(event: InboundEvent): InboundEvent {
  if (event.type !== "message.created" || event.message.quote?.head !== true) return event;
  const { quote: _, ...message } = event.message;
  return { ...event, message };
}

function unmarked(event: InboundEvent): InboundEvent {
  if (event.type !== "message.created" || event.message.quote?.head !== true) return event;
  const { head: _, ...quote } = event.message.quote;
  return { ...event, message: { ...event.message, quote } };
}

function quoteOf({ markdown, attachments = [], asked }: ThreadHead, displayName: string): Quote {
  if (asked !== undefined && markdown === undefined) return asked;
  const author = { userId: ourselves, displayName };
  const all = [...(asked?.attachments ?? []), ...attachments];
  const files = all.length === 0 ? {} : { attachments: all };
  if (asked === undefined) return { ...author, markdown: markdown ?? "", own: true, ...files };
  const question = `${asked.displayName || asked.userId}: ${asked.markdown || "(no words)"}`;
  return { ...author, markdown: `${question}\n\n${displayName}: ${markdown}`, ...files };
}
