import type { InboundEvent, MessageId, SessionKey } from "@talaria/protocol";
import type { CallStore, OperationsStore, Whereabouts } from "@talaria/store";
import { codeOf, inWords } from "./approval-notices.ts";
import { backgroundNotices } from "./background-notices.ts";
import { begunFor, type HeadWork, isUnanswered } from "./head-work.ts";
import { notices, oneLine } from "./notices.ts";
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

/** Longer than this, and the platform does not take the answer. */
const soonMs = 30_000;

/**
 * Where the answer stands to the message that is replied to, or to the sender's last one; in a thread, also where that to the message
 * above does.
 */
export async function whereText(event: InboundEvent, sessionKey: SessionKey, deps: AskedDeps): Promise<string> {
  const own = await meantIn(event, sessionKey, deps);
  const { head } = deps;
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
  const begun = begunFor(found, running);
  const waiting = found.state === "asking" ? await deps.calls.waiting(sessionKey) : [];
  const asked = toBeAnswered(waiting.filter(({ turnId }) => turnId === found.turnId));
  return [
    whereIs(found),
    ...(asked.length === 0 ? [] : [notices.toBeAnswered(asked)]),
    ...(begun.length === 0 ? [] : [backgroundNotices.begunStillRuns(shownOf(event, begun), moreThan(begun))]),
  ].join("\n\n");
}

function notFound(event: InboundEvent): string {
  return repliedTo(event) === undefined
    ? "You have written nothing to me here yet, or that was too long ago."
    : "I have no answer to that message: it was not for me, or it was too long ago.";
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

/** Where the answer to a message stands, as a sentence. */
export function whereIs({ state, sinceMs, ahead, isBusy, doing }: Whereabouts): string {
  const time = inWords(sinceMs);
  switch (state) {
    case "waiting": {
      const before = ahead === 0 ? "" : ` Before it: ${ahead === 1 ? "1 message" : `${ahead} messages`}.`;
      const why = isBusy ? "I'm still busy with what came before it" : "I'll start on it as soon as a worker is free";
      return `It has been waiting for ${time}: ${why}.${before}`;
    }
    case "running":
      return `I have been working on it for ${time}.${doing === undefined ? "" : ` Right now: ${codeOf(oneLine(doing))}.`}`;
    case "asking":
      return "I'm working on it, and waiting for somebody to answer.";
    case "sending":
      return sinceMs < soonMs
        ? "It is answered, and the answer is on its way."
        : `It was answered ${time} ago, but the platform doesn't take the answer. I keep trying.`;
    case "undelivered":
      return `It was answered ${time} ago, but the answer could not be delivered. An operator can send it again with \`talaria retry\`.`;
    case "completed":
      return `It was answered ${time} ago.`;
    case "failed":
      return `I failed to answer it ${time} ago. \`/retry\` tries again.`;
    case "aborted":
      return `It was stopped ${time} ago. \`/retry\` answers it after all.`;
    case "dropped":
      return "It was set aside before I began: by `/stop`, by a new conversation, or by what was said later. Write it again if you need an answer.";
    case "not_let_in":
      return "You weren't let in yet when you sent it, and I haven't kept it. Please send it again.";
    case "refused_by_limit":
      return "It came while a limit was reached, so I didn't answer it. `/status` says until when; please write it again then. If an owner lifts the limit earlier, I'll say here whether I answer it by myself.";
    case "stopped_by_limit":
      return `I stopped working on it ${time} ago, because a limit was reached. \`/status\` says until when; say "continue" then.`;
    case "set_aside":
      return "I gave up on it after several failures. An operator can let me try again with `talaria retry`.";
    default:
      return state satisfies never;
  }
}
