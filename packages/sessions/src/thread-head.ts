import {
  type AccountPolicy,
  brandAs,
  type InboundEvent,
  type Quote,
  type SessionKey,
  type UserId,
} from "@talaria/protocol";
import type { ThreadHead } from "@talaria/store";
import { english, isBlank } from "@talaria/words";
import type { GateDeps } from "./gate-deps.ts";
import { begunFor, type HeadWork, headWork, isUnanswered } from "./head-work.ts";
import { moreThan, shownOf } from "./still-running.ts";

/** Platforms have their own ids for this account; none looks like this one. */
const ourselves = brandAs<UserId>("agent");

/**
 * The first message of a thread, with what it stands below as a quote: a thread has a session of its own, which would begin without. Of a
 * message of ours or to us that is question and answer, of others what the adapter knows. On the platforms whose people talk in threads,
 * a thread is named by its first message. While the answer to it is under way, also further messages are told so, and the first after it how
 * it ended: nothing of that happens in their session.
 */
export async function withThreadHead(
  event: InboundEvent,
  sessionKey: SessionKey,
  policy: AccountPolicy,
  deps: Pick<GateDeps, "agentName" | "inbox" | "operations" | "background" | "traitsOf">,
): Promise<InboundEvent> {
  const { threadId } = event.conversation;
  if (event.type !== "message.created" || threadId === undefined) return event;
  const { quote, markdown, attachments } = event.message;
  if (quote !== undefined && quote.fact !== true && quote.head !== true) return event;
  const { agentName, inbox } = deps;
  const [{ head, begun }, work] = await Promise.all([
    inbox.threadHead(event.conversation, threadId, sessionKey),
    headWork(event, sessionKey, policy, deps),
  ]);
  const isNews = work !== undefined && begun !== undefined && hasEndedAfter(work, begun);
  const now = work && head && nowOf(work, head, event, isNews);
  if (now !== undefined) return quoting(event, quoteOf({ ...head, markdown: now }, agentName));
  // Whoever says nothing of their own means what the thread stands below.
  if (begun !== undefined && !(isNews && head))
    return isBlank(markdown) && attachments.length === 0 ? unmarked(event) : withoutThreadHead(event);
  if (head === undefined) return unmarked(event);
  return quoting(event, quoteOf(head, agentName));
}

/** Whether it ended after the session last heard of it. */
function hasEndedAfter({ found }: HeadWork, begun: number): boolean {
  return !isUnanswered(found) && found.since > begun;
}

function quoting(event: Extract<InboundEvent, { type: "message.created" }>, quote: Quote): InboundEvent {
  return { ...event, message: { ...event.message, quote } };
}

/**
 * What was answered, and what is under way, in words of ours: for the model, in English. Undefined: nothing is. What has an answer is not worked on any more. `isNews`:
 * it ended since the session heard of it.
 */
function nowOf(
  { found, running }: HeadWork,
  { markdown }: ThreadHead,
  event: InboundEvent,
  isNews: boolean,
): string | undefined {
  const begun = begunFor(found, running);
  const isTold = isNews ? markdown === undefined || isCut(found) : markdown === undefined && isUnanswered(found);
  const parts = [
    ...(isTold ? [english.where.is(found)] : []),
    ...(begun.length === 0 ? [] : [english.backgroundNotices.begunStillRuns(shownOf(event, begun), moreThan(begun))]),
  ];
  if (parts.length === 0) return undefined;
  const now = `(now, in the conversation above this thread: ${parts.join("\n\n")})`;
  return markdown === undefined ? now : `${markdown}\n\n${now}`;
}

/** What was said by then is not the answer. */
function isCut({ state }: HeadWork["found"]): boolean {
  return state === "failed" || state === "aborted" || state === "stopped_by_limit";
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
