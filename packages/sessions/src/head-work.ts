import { type AccountPolicy, brandAs, type InboundEvent, type MessageId, type SessionKey } from "@talaria/protocol";
import type { BackgroundRow, Whereabouts } from "@talaria/store";
import type { GateDeps } from "./gate-deps.ts";
import { sessionOf } from "./session-of.ts";
import { endsAll, isUnderWay } from "./still-running.ts";

/** The message that a thread stands below, where it belongs to the session of the conversation around the thread. */
export interface HeadWork {
  readonly sessionKey: SessionKey;
  readonly found: Whereabouts;
  /** What runs in the background of its session. */
  readonly running: readonly BackgroundRow[];
}

type HeadDeps = Pick<GateDeps, "operations" | "background" | "traitsOf">;

/**
 * What goes on for the message that an event's thread stands below. A thread has a session of its own, in which nothing of that happens; on
 * the platforms whose people talk in threads, they ask there about what they see above. Undefined elsewhere, and where the message is
 * in no session that the event's sender could write to outside of the thread.
 */
export async function headWork(
  event: InboundEvent,
  sessionKey: SessionKey,
  policy: AccountPolicy,
  { operations, background, traitsOf }: HeadDeps,
): Promise<HeadWork | undefined> {
  const { conversation, sender } = event;
  const { threadId, ...place } = conversation;
  if (threadId === undefined || traitsOf?.(conversation.accountId)?.threads !== "talks") return undefined;
  const around = sessionOf({ conversation: place, sender }, policy);
  if (around === sessionKey) return undefined;
  // The thread is named by its first message.
  const messageId = brandAs<MessageId>(threadId);
  const found = await operations.whereabouts({ sessionKey: around, conversation, messageId, userId: sender.userId });
  if (found === undefined || found.unseen) return undefined;
  return { sessionKey: around, found, running: await background.running(around) };
}

/** Whether the message waits for its answer. */
export function isUnanswered({ state }: Whereabouts): boolean {
  return state === "waiting" || state === "running" || state === "asking";
}

/** Those among processes that the turn has begun which answered a message. */
export function begunFor({ turnId }: Whereabouts, running: readonly BackgroundRow[]): readonly BackgroundRow[] {
  return turnId === undefined ? [] : running.filter((one) => one.turnId === turnId);
}

/**
 * The session that a `/stop` in a thread stops: its own, unless nothing is under way there and something is for the message
 * above.
 */
export async function stoppedBy(
  argument: string | undefined,
  sessionKey: SessionKey,
  head: HeadWork | undefined,
  deps: Pick<GateDeps, "operations" | "calls" | "background">,
): Promise<SessionKey> {
  if (head === undefined || !canStop(head, argument)) return sessionKey;
  const isAll = endsAll(argument) !== undefined;
  return (await isUnderWay(sessionKey, isAll, deps)) ? sessionKey : head.sessionKey;
}

/** Whether a `/stop` would end anything for the message above. */
export function canStop({ found, running }: HeadWork, argument: string | undefined): boolean {
  if (isUnanswered(found)) return true;
  const begun = begunFor(found, running);
  return endsAll(argument) === undefined ? begun.some(({ isLetGo }) => isLetGo) : begun.length > 0;
}
