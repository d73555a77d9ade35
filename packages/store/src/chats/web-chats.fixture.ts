import { after, before } from "node:test";
import { type AccountId, brandAs, type Conversation, type ConversationId, type SessionKey } from "@talaria/protocol";
import pg from "pg";
import type { Chat, ChatKey, ChatLine, ChatQuery } from "../ports/chats.ts";
import { conversationOf, createTestStore, entryOf, eventOf, type TestStore, textOf } from "../test-store.ts";

const web: AccountId = brandAs<AccountId>("web");

/** The console's conversations in a database of their own, for the tests of one `describe`. */
export function useWebChats() {
  let test: TestStore;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  const place = (name: string): Conversation => ({ ...conversationOf(name), accountId: web, platform: "web" });
  const key = (name: string): ChatKey => ({ accountId: web, conversationId: brandAs<ConversationId>(name) });
  const session = (name: string): SessionKey => brandAs<SessionKey>(`web/${name}`);
  const list = (query: Partial<ChatQuery> = {}) => test.store.chats.list({ accountId: web, limit: 50, ...query });
  return {
    get test() {
      return test;
    },
    get store() {
      return test.store;
    },
    sql: async (text: string) => (await client.query(text)).rows,
    place,
    key,
    session,
    list,
    idsOf: async (query: Partial<ChatQuery> = {}) =>
      (await list(query)).chats.map((chat) => chat.conversationId as string),
    shown: async (name: string): Promise<Chat | undefined> =>
      (await list()).chats.find(({ conversationId }) => conversationId === name),
    lines: async (name: string): Promise<readonly ChatLine[]> => (await test.store.chats.history(key(name), 500)).lines,
    /** The operator's event in a conversation of the console. */
    eventIn: (id: string, name: string, markdown = id) => ({
      ...eventOf(id, name, markdown),
      conversation: place(name),
    }),
    async say(id: string, name: string, markdown = id): Promise<void> {
      const event = { ...eventOf(id, name, markdown), conversation: place(name) };
      await test.store.inbox.record({ ...entryOf(id, name), sessionKey: session(name), event, route: place(name) });
    },
    async reply(id: string, name: string, markdown = id): Promise<void> {
      await test.store.outbox.add([textOf(id, name, { conversation: place(name), markdown })]);
    },
  };
}
