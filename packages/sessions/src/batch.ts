import type { SessionEvent } from "@talaria/protocol";
import type { PendingEvent } from "@talaria/store";
import { albumOf, mergeAlbum } from "./albums.ts";
import { mergePaste } from "./pastes.ts";

/** What one turn takes from the waiting events. */
export interface Batch {
  /**
   * In order; at least one unless everything was dropped. An edited message stands at its first place with its last text, an
   * album as one message at the place of its first part.
   */
  readonly take: readonly PendingEvent[];
  readonly drop: readonly { readonly seq: number; readonly reason: string }[];
  /** Numbers that `take` stands for, in order: the events themselves and edits folded into them. */
  readonly seqs: readonly number[];
}

/** Chooses the events of the next turn: a contiguous run that shares one reply route, at most `limit` long. */
export function nextBatch(pending: readonly PendingEvent[], limit: number): Batch {
  return foldEdits(sameRoute(pending).slice(0, limit));
}

/**
 * Events as people meant them in the end: messages that were deleted before anyone read them are dropped, edits replace
 * what they edit. Every event is in `seqs` or in `drop`, once.
 */
export function foldEdits(events: readonly PendingEvent[]): Batch {
  const messages = new Map<string, Folded>();
  const drop: { seq: number; reason: string }[] = [];
  for (const item of events) fold(item, messages, drop);
  const folded = joinParts([...messages.values()]);
  return {
    take: folded.map(({ item }) => item),
    drop,
    seqs: folded.flatMap(({ seqs }) => seqs).sort((one, other) => one - other),
  };
}

function sameRoute(pending: readonly PendingEvent[]): readonly PendingEvent[] {
  const first = pending[0];
  if (first === undefined) return [];
  const place = placeOf(first);
  const end = pending.findIndex((item) => placeOf(item) !== place);
  return end === -1 ? pending : pending.slice(0, end);
}

function placeOf({ route }: PendingEvent): string {
  return JSON.stringify([route.accountId, route.conversationId, route.threadId ?? null]);
}

/** One message as it reads now, and the numbers of everything that was said about it. */
interface Folded {
  readonly item: PendingEvent;
  readonly seqs: readonly number[];
}

function fold(item: PendingEvent, messages: Map<string, Folded>, drop: { seq: number; reason: string }[]): void {
  const { event, seq } = item;
  if (event.type === "message.deleted") {
    const deleted = messages.get(event.messageId);
    messages.delete(event.messageId);
    drop.push(...(deleted?.seqs ?? []).map((taken) => ({ seq: taken, reason: "deleted" })));
    drop.push({ seq, reason: "deletion" });
    return;
  }
  if (event.type === "action.invoked" || event.type === "call.settled") {
    messages.set(`${event.id} ${seq}`, { item, seqs: [seq] });
    return;
  }
  if (event.type !== "message.created" && event.type !== "message.edited") {
    drop.push({ seq, reason: "not_a_message" });
    return;
  }
  const { messageId } = event.message;
  const before = messages.get(messageId);
  // Nobody puts words into another's mouth, whatever ids a platform lets them choose.
  if (before !== undefined && !isSameVoice(before.item, item)) {
    messages.set(`${messageId} ${seq}`, { item, seqs: [seq] });
    return;
  }
  messages.set(
    messageId,
    before === undefined
      ? { item, seqs: [seq] }
      : {
          item: { ...withOverheard(before.item, item), event: edited(before.item.event, event) },
          seqs: [...before.seqs, seq],
        },
  );
}

/** The same person, known as well as before and with the same rights: words keep those of the event they are joined to. */
function isSameVoice(one: PendingEvent, other: PendingEvent): boolean {
  const [said, added] = [one.event.sender, other.event.sender];
  return said.userId === added.userId && said.assurance === added.assurance && one.role === other.role;
}

/** What two events have taken along, before the first of them. */
function withOverheard(first: PendingEvent, second: PendingEvent): PendingEvent {
  if (second.overheard === undefined) return first;
  return { ...first, overheard: [...(first.overheard ?? []), ...second.overheard] };
}

/** Parts of an album, and of a text that was cut, become one message at the place of the first. */
function joinParts(messages: readonly Folded[]): readonly Folded[] {
  const joined = new Map<string | Folded, Folded>();
  for (const message of messages) {
    const { event, paste } = message.item;
    const known = albumOf(event) ?? paste ?? message;
    const isOther = !isSameVoice(joined.get(known)?.item ?? message.item, message.item);
    const whole = isOther ? message : known;
    const first = joined.get(whole);
    const merge = paste === undefined ? mergeAlbum : mergePaste;
    joined.set(
      whole,
      first === undefined
        ? message
        : {
            item: withOverheard(merge(first.item, message.item), message.item),
            seqs: [...first.seqs, ...message.seqs],
          },
    );
  }
  return [...joined.values()];
}

type MessageEvent = Extract<SessionEvent, { type: "message.created" | "message.edited" }>;

/** The first event with the last text: its id and time stay what they were. */
function edited(before: SessionEvent, after: MessageEvent): SessionEvent {
  if (before.type !== "message.created" && before.type !== "message.edited") return before;
  return { ...before, message: { ...after.message, messageId: before.message.messageId } };
}
