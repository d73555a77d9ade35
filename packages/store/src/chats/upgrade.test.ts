import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { migrate } from "../schema/migrate.ts";
import { readSqlSource } from "../schema/sql-source.ts";
import { createStore, type Store } from "../store.ts";
import { entryOf, never, textOf } from "../test-store.ts";

describe("conversations from before there were lists", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    const { migrations, functions } = readSqlSource();
    const before = migrations.findIndex(({ name }) => name.endsWith("-chats"));
    assert.ok(before > 0);
    await migrate(database.url, silentLog, { migrations: migrations.slice(0, before), functions });
    const client = new pg.Client({ connectionString: database.url, options: "-c search_path=talaria" });
    await client.connect();
    const place = (name: string, title: string) =>
      JSON.stringify({ ...entryOf("x", name).route, platform: "web", accountId: "web", title });
    for (const name of ["one", "two"]) {
      const event = { ...entryOf(`old-${name}`, name, "queue").event, conversation: JSON.parse(place(name, "t")) };
      await client.query("insert into session (session_key, conversation, last_seq) values ($1, $2, 1)", [
        `web/${name}`,
        place(name, "Old title"),
      ]);
      await client.query(
        `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at, turn_id)
         values ($1, 1, 'web', $2, $3, 'queue', $4, now() - interval '2 days', 't')`,
        [`web/${name}`, `old-${name}`, name, JSON.stringify(event)],
      );
      await client.query(
        `insert into outbox (delivery_key, account_id, conversation_id, kind, body, state, created_at)
         values ($1, 'web', $2, 'reply', $3, 'sent', now() - case when $2 = 'one' then interval '1 day' else interval '1 hour' end)`,
        [`reply-${name}`, name, JSON.stringify({ ...textOf("r", name), conversation: JSON.parse(place(name, "t")) })],
      );
    }
    await client.query("insert into session (session_key, conversation) values ('web/unused', $1)", [
      place("unused", "t"),
    ]);
    await client.query("insert into session (session_key, conversation) values ('odd', '{}')");
    await client.end();
    await migrate(database.url, silentLog);
    store = createStore({ url: database.url, log: silentLog, clock: systemClock, maxConnections: 3 });
  });
  after(async () => {
    await store.close();
    await database.drop();
  });

  it("are listed at once by their newest line, and count as read", async () => {
    const { chats } = await store.chats.list({ limit: 10 });
    assert.deepEqual(
      chats.map(({ conversationId, unread, preview }) => [conversationId, unread, preview]),
      [
        ["two", 0, "text of r"],
        ["one", 0, "text of r"],
      ],
    );
  });

  it("are found once they were read, and until then a search says that some may be missing", async () => {
    const search = () => store.chats.list({ limit: 10, words: "old" });
    const early = await search();
    assert.equal(early.isPartial, true);
    await store.chats.catchUp(never);
    const { chats, isPartial } = await search();
    assert.deepEqual(
      chats.map(({ conversationId }) => conversationId as string),
      ["two", "one"],
    );
    assert.equal(isPartial, undefined);
    await store.chats.catchUp(never);
    assert.equal((await store.chats.list({ limit: 10, words: "text" })).chats.length, 2);
  });
});
