import { brandAs, type InboundEvent, type Quote, type SessionKey, type UserId } from "@talaria/protocol";
import type { ThreadHead } from "@talaria/store";
import type { GateDeps } from "./gate-deps.ts";

/** Platforms have their own ids for this account; none looks like this one. */
const ourselves = brandAs<UserId>("agent");

/**
 * The first message of a thread below a message of ours or below one to us, with question and answer as a quote: a thread has a session of
 * its own, which would begin without either. On the platforms whose people talk in threads, a thread is named by its first message.
 */
export async function withThreadHead(
  event: InboundEvent,
  sessionKey: SessionKey,
  { agentName, inbox }: Pick<GateDeps, "agentName" | "inbox">,
): Promise<InboundEvent> {
  const { threadId } = event.conversation;
  if (event.type !== "message.created" || threadId === undefined) return event;
  const { quote } = event.message;
  if (quote !== undefined && quote.fact !== true) return event;
  const head = await inbox.threadHead(event.conversation, threadId, sessionKey);
  if (head === undefined) return event;
  return { ...event, message: { ...event.message, quote: quoteOf(head, agentName) } };
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
