import { randomUUID } from "node:crypto";
import { after, before } from "node:test";
import {
  brandAs,
  type Conversation,
  type ProcessId,
  type SearchAsker,
  type ThreadId,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import pg from "pg";
import type { SearchFound, SearchQuery } from "../ports/search.ts";
import {
  answered,
  claim,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  never,
  newWorker,
  startOf,
  type TestStore,
  textOf,
} from "../test-store.ts";

export interface Talk {
  readonly conversation: string;
  readonly kind?: Conversation["kind"];
  readonly thread?: string;
  readonly userId?: string;
  readonly says: string;
  readonly answer?: string;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly privateTo?: string;
}

/** Conversations with people and their answers in a database of their own, for the tests of one `describe`. */
export function useTalks() {
  let test: TestStore;
  let client: pg.Client;
  let worker: ProcessId;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    worker = await newWorker(test.store);
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  const placeOf = ({ conversation, kind = "direct", thread }: Omit<Talk, "says">): Conversation => ({
    ...conversationOf(conversation),
    kind,
    ...(thread === undefined ? {} : { threadId: brandAs<ThreadId>(thread) }),
  });
  const eventIn = (talk: Talk, id: string = randomUUID()) => {
    const event = eventOf(id, talk.conversation, talk.says);
    const { sender } = event;
    const userId = brandAs<UserId>(talk.userId ?? talk.conversation);
    return {
      ...event,
      conversation: placeOf(talk),
      sender: { ...sender, userId, displayName: `Name of ${userId}` },
      ...("message" in event ? { message: { ...event.message, ...talk.message } } : {}),
    } as typeof event;
  };
  const asking = (place: Omit<Talk, "says">, more: Partial<SearchAsker> = {}): SearchAsker => ({
    conversation: placeOf(place),
    userId: brandAs<UserId>(place.userId ?? place.conversation),
    hasPrivateThreads: false,
    ...more,
  });
  const find = (text: string, asker: SearchAsker, more: Partial<SearchQuery> = {}): Promise<SearchFound> =>
    test.store.search.find({ text, limit: 10, chars: 500, ...more }, asker);
  return {
    get test() {
      return test;
    },
    get worker() {
      return worker;
    },
    sql: async (text: string, values: readonly unknown[] = []) => (await client.query(text, [...values])).rows,
    eventIn,
    placeOf,
    asking,
    find,
    /** The words that are found, best first. */
    wordsOf: async (text: string, asker: SearchAsker, more: Partial<SearchQuery> = {}) =>
      (await find(text, asker, more)).hits.map(({ markdown }) => markdown),
    /** Somebody says something, and the agent answers. */
    async talk(one: Talk): Promise<TurnId> {
      const event = eventIn(one);
      const session = one.thread === undefined ? one.conversation : `${one.conversation}/t/${one.thread}`;
      const sessionKey = keyOf(session);
      await test.store.inbox.record({ ...entryOf(event.id, session), sessionKey, event, route: event.conversation });
      const found = await claim(test.store, session, worker);
      const start = startOf(found);
      await test.store.turns.begin(found.lease, start);
      const text = textOf(`reply:${start.turnId}`, one.conversation, {
        ...{ kind: "reply", conversation: event.conversation, markdown: one.answer ?? "Noted.", sessionKey },
        turnId: start.turnId,
        ...(one.privateTo === undefined ? {} : { privateTo: brandAs<UserId>(one.privateTo) }),
      });
      await test.store.turns.commit(found.lease, {
        ...{ turnId: start.turnId, outcome: "completed", entries: [answered("yes")], outbox: [text] },
      });
      return start.turnId;
    },
    async read(): Promise<void> {
      await test.store.chats.catchUp(never);
      await test.store.search.catchUp(never);
    },
  };
}
