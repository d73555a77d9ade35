import type { RecentEvent } from "@talaria/store";
import { unheardWords } from "../commands/unheard.ts";
import { withStore } from "../open-store.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Whose lines are wanted: words as `why` and `trace` take them. */
export interface Wanted {
  readonly person?: string;
  readonly conversation?: string;
}

/** The ids by which a line is about somebody's messages, or those of a conversation. */
export interface LogSubject {
  /** Who is meant, one each: more than one where a name says so. */
  readonly people: readonly Pick<RecentEvent, "accountId" | "senderId" | "senderName">[];
  readonly ids: Readonly<Record<IdField, ReadonlySet<string>>>;
  /** Both were named: a person's id alone doesn't tell where they wrote. */
  readonly isNarrow: boolean;
}

type IdField = "senderId" | "conversationId" | "eventId" | "turnId" | "sessionKey";

const mostMessages = 200;

/** Reads who is meant from the database; a sentence where they have not written lately, or nobody is known so. Throws where no database answers. */
export async function readSubject(options: Options, wanted: Wanted): Promise<LogSubject | string> {
  return await withStore(options, async (store, loaded) => {
    const events = await store.operations.recent({ ...wanted, limit: mostMessages });
    return events.length === 0 ? await unheardWords(wanted, store, loaded) : subjectOf(events, wanted);
  });
}

function subjectOf(events: readonly RecentEvent[], wanted: Wanted): LogSubject {
  const ofPerson = wanted.person !== undefined;
  const collect = (idOf: (event: RecentEvent) => string | undefined, which: readonly RecentEvent[] = events) =>
    new Set(
      which.flatMap((event) => {
        const id = idOf(event);
        return id === undefined ? [] : [id, `${event.accountId}/${id}`];
      }),
    );
  const isNarrow = ofPerson && wanted.conversation !== undefined;
  const theirs = ofPerson ? events.filter(isAlone) : events;
  const people = new Map(events.map((event) => [`${event.accountId}/${event.senderId}`, event]));
  return {
    people: ofPerson ? [...people.values()] : [],
    isNarrow,
    ids: {
      senderId: ofPerson ? collect(({ senderId }) => senderId) : new Set(),
      conversationId: collect(({ conversationId }) => conversationId, isNarrow ? events : theirs),
      eventId: collect(({ eventId }) => eventId),
      turnId: collect(({ turnId }) => turnId),
      sessionKey: collect(({ sessionKey }) => sessionKey, theirs),
    },
  };
}

/** Whether a line is about one of the messages, their turns or their senders. */
export function isAbout(entry: Readonly<Record<string, unknown>>, { ids, isNarrow }: LogSubject): boolean {
  const { accountId } = entry;
  const has = (field: IdField) => {
    const id = entry[field];
    return typeof id === "string" && ids[field].has(typeof accountId === "string" ? `${accountId}/${id}` : id);
  };
  if (has("eventId") || has("turnId") || has("sessionKey")) return true;
  return isNarrow ? has("senderId") && has("conversationId") : has("senderId") || has("conversationId");
}

/** Nobody else writes there. */
function isAlone({ kind, senderId, conversationId }: RecentEvent): boolean {
  return kind === "direct" || senderId === conversationId;
}
