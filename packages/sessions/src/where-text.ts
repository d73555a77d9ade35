import type { InboundEvent, MessageId, SessionKey } from "@talaria/protocol";
import type { CallStore, OperationsStore, Whereabouts } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import { begunFor, type HeadWork, isUnanswered } from "./head-work.ts";
import { type BackgroundDeps, moreThan, shownOf } from "./still-running.ts";
import { toBeAnswered } from "./to-be-answered.ts";

export interface WhereTextDeps {
  readonly operations: Pick<OperationsStore, "whereabouts">;
  /** What the event's thread stands below. */
  readonly head?: HeadWork | undefined;
}

interface AskedDeps extends WhereTextDeps, BackgroundDeps {
  readonly calls: Pick<CallStore, "waiting">;
}

/**
 * Where the answer stands to the message that is replied to, or to the sender's last one; in a thread, also where that to the message
 * above does.
 */
export async function whereText(event: InboundEvent, sessionKey: SessionKey, deps: AskedDeps): Promise<string> {
  const own = await meantIn(event, sessionKey, deps);
  const { head } = deps;
  const { notices } = wordsFor(event);
  const of = async (key: SessionKey) => ({ sessionKey: key, running: await deps.background.running(key), event, deps });
  if (head === undefined || !isHeadMeant(event, head, own))
    return own === undefined ? notFound(event) : textWith(own, await of(sessionKey));
  const above = notices.aboutHead(await textWith(head.found, { ...head, event, deps }));
  if (own === undefined || !isUnanswered(own)) return above;
  return `${above}\n\n${notices.aboutOwn(await textWith(own, await of(sessionKey)))}`;
}

/** A message of the thread that somebody replies to is meant alone. What goes on comes first, then what ended last. */
function isHeadMeant(event: InboundEvent, { found, running }: HeadWork, own: Whereabouts | undefined): boolean {
  if (own === undefined) return true;
  if (repliedTo(event) !== undefined) return false;
  if (isUnanswered(found) || begunFor(found, running).length > 0) return true;
  return !isUnanswered(own) && found.since > own.since;
}

interface Of extends Pick<HeadWork, "sessionKey" | "running"> {
  readonly event: InboundEvent;
  readonly deps: AskedDeps;
}

async function textWith(found: Whereabouts, { sessionKey, running, event, deps }: Of): Promise<string> {
  const words = wordsFor(event);
  const { backgroundNotices, notices } = words;
  const begun = begunFor(found, running);
  const waiting = found.state === "asking" ? await deps.calls.waiting(sessionKey) : [];
  const asked = toBeAnswered(
    waiting.filter(({ turnId }) => turnId === found.turnId),
    words,
  );
  return [
    words.where.is(found),
    ...(asked.length === 0 ? [] : [notices.toBeAnswered(asked)]),
    ...(begun.length === 0 ? [] : [backgroundNotices.begunStillRuns(shownOf(event, begun), moreThan(begun))]),
  ].join("\n\n");
}

function notFound(event: InboundEvent): string {
  const { where } = wordsFor(event);
  return repliedTo(event) === undefined ? where.nothingWritten : where.noSuchMessage;
}

/** The answer that the event's sender means with `/cost`, and its session. */
export async function answerMeant(
  event: InboundEvent,
  sessionKey: SessionKey,
  deps: WhereTextDeps,
): Promise<{ readonly sessionKey: SessionKey; readonly found: Whereabouts } | undefined> {
  const own = await meantIn(event, sessionKey, deps);
  if (deps.head !== undefined && isHeadMeant(event, deps.head, own)) return deps.head;
  return own && { sessionKey, found: own };
}

function meantIn(
  event: InboundEvent,
  sessionKey: SessionKey,
  { operations }: WhereTextDeps,
): Promise<Whereabouts | undefined> {
  const { conversation, sender } = event;
  return operations.whereabouts({ sessionKey, conversation, messageId: repliedTo(event), userId: sender.userId });
}

function repliedTo(event: InboundEvent): MessageId | undefined {
  return event.type === "message.created" ? event.message.replyTo : undefined;
}
