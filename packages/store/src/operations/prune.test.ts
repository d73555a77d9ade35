import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type Instant, type MessageId } from "@talaria/protocol";
import pg from "pg";
import {
  accountId,
  answered,
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  limits,
  never,
  newAccountLease,
  newWorker,
  type TestStore,
  textOf,
} from "../test-store.ts";

/** What makes a row of a table old. */
const ages: Readonly<Record<string, string>> = {
  seen: "recorded_at",
  inbox: "recorded_at",
  turn: "ended_at",
  entry: "created_at",
  outbox: "settled_at",
  sent_message: "sent_at",
  preview: "saved_at",
  session: "created_at",
  receipt: "told_at",
};

describe("pruning", () => {
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

  const prune = async () => (await test.store.operations.prune(30, never)).removed;

  /** Records, answers and delivers one event. */
  async function live(id: string, session: string): Promise<void> {
    const { store } = test;
    await store.inbox.record(entryOf(id, session));
    const turn = await beginTurn(store, session, await newWorker(store));
    const lease = await newAccountLease(store);
    await store.outbox.savePreview(lease, turn.start.turnId, { state: "posted", messageId: brandAs<MessageId>(id) });
    await completeTurn(store, turn);
    for (const row of await store.outbox.due(lease, [], 100)) {
      const sent = { state: "sent", attempts: 1, unknown: 0, messageId: brandAs<MessageId>(`${id}-out`) } as const;
      const part = { markdown: row.markdown, attachments: [], ...sent };
      await store.outbox.update(lease, { id: row.id, state: "sent", parts: [part] });
    }
  }

  async function command(kind: "reset" | "retry", session: string): Promise<void> {
    const effect = { kind, sessionKey: keyOf(session) };
    const event = eventOf(`${kind} ${session}`, session);
    await test.store.inbox.settle({ event, outcome: "command", reason: `command:${kind}`, effect });
  }

  /** Everything there is has happened forty days ago. */
  async function grow40DaysOlder(): Promise<void> {
    for (const [table, column] of Object.entries(ages))
      await client.query(`update ${table} set ${column} = ${column} - interval '40 days'`);
  }

  async function count(table: string, session: string): Promise<number> {
    const { rows } = await client.query(`select from ${table} where session_key = $1`, [keyOf(session)]);
    return rows.length;
  }

  it("removes what is settled and old, and neither memory nor anything unfinished", async () => {
    const { store } = test;
    await live("old", "old");
    await live("forgotten", "forgotten");
    await command("reset", "forgotten");
    await live("retried", "retried");
    await command("retry", "retried");
    await grow40DaysOlder();
    await live("young", "old");
    await store.outbox.add([textOf("pending", "old")]);
    await client.query("update outbox set created_at = created_at - interval '40 days'");
    assert.ok((await prune()) > 10);
    assert.equal(await prune(), 1, "the session that was forgotten, once everybody can know its number");
    assert.equal(await prune(), 0);
    assert.equal(await store.inbox.status(accountId, eventOf("old", "old").id), undefined);
    assert.equal((await store.inbox.status(accountId, eventOf("young", "old").id))?.state, "answered");
    const worker = await newWorker(store);
    const retried = await claim(store, "retried", worker);
    assert.deepEqual([retried.history, retried.pending.length], [[], 1]);
    await store.inbox.record(entryOf("next", "old"));
    const { history } = await claim(store, "old", worker);
    assert.equal(history.filter(({ kind }) => kind === answered("").kind).length, 2);
    for (const table of ["entry", "memory", "session"]) assert.equal(await count(table, "forgotten"), 0, table);
    assert.equal(await count("entry", "retried"), 0);
    const { rows } = await client.query("select turn_id from preview");
    assert.equal(rows.length, 1, "of the young turn");
    const due = await store.outbox.due(await newAccountLease(store), [], 10);
    assert.deepEqual(
      due.map(({ deliveryKey }) => deliveryKey),
      ["pending"],
    );
  });

  it("forgets sessions in which nothing has happened for so long, and lets them come back under new numbers", async () => {
    const { store } = test;
    for (const id of ["thread-1", "thread-2", "thread-3"]) await live(id, "thread");
    await live("open-1", "open");
    await store.inbox.record(entryOf("open-2", "open"));
    for (const key of ["thread", "open"])
      await client.query("insert into talaria.workspace_copy (session_key, place, digest) values ($1, 'p', '')", [
        keyOf(key),
      ]);
    await grow40DaysOlder();
    await prune();
    await prune();
    assert.equal(await count("workspace_copy", "open"), 1);
    for (const table of ["session", "memory", "entry", "workspace_copy"])
      assert.equal(await count(table, "thread"), 0, table);
    assert.equal(await count("session", "open"), 1);
    assert.ok((await count("entry", "open")) > 0, "something waits there");
    const again = await store.inbox.record(entryOf("thread-4", "thread"));
    assert.ok(again.outcome === "recorded" && again.seq > 3, "no id of a turn is used twice");
    assert.equal(
      (await store.inbox.record(entryOf("thread-5", "thread"))).outcome === "recorded" && again.seq > 3,
      true,
    );
    const found = await claim(store, "thread", await newWorker(store));
    assert.deepEqual(
      found.pending.map(({ seq }) => seq),
      [again.seq, again.seq + 1],
    );
  });

  it("keeps a session whose open call outlives its turn, so that the call can still be settled", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("asks", "asks"));
    const turn = await beginTurn(store, "asks", await newWorker(store));
    const call = {
      id: "0a0b0c0d",
      callId: "c",
      name: "deploy",
      arguments: "{}",
      shown: "Deploy?",
      askers: [],
    } as const;
    const ask = { ...call, waitsFor: "approval", expiresAt: brandAs<Instant>("2100-01-01T00:00:00.000Z") } as const;
    await store.turns.append(turn.lease, turn.start.turnId, [], [{ ask }]);
    await completeTurn(store, turn);
    await client.query("update outbox set state = 'sent', settled_at = now()");
    await grow40DaysOlder();
    for (const _ of [1, 2, 3]) await prune();
    assert.equal(await count("turn", "asks"), 0);
    assert.equal(await store.calls.settle({ id: call.id, sessionKey: keyOf("asks"), settlement: "denied" }), true);
  });

  it("removes what a session that lives does not read any more: former memories and what is before its history", async () => {
    const { store } = test;
    for (const id of ["long-1", "long-2", "long-3"]) await live(id, "long");
    await store.inbox.record(entryOf("long-4", "long"));
    const lease = await store.turns.claim(keyOf("long"), await newWorker(store), { ...limits, historyEntries: 5 });
    assert.equal(lease?.history.length, 2);
    await live("reset-1", "reset");
    await command("reset", "reset");
    await live("reset-2", "reset");
    await client.query(`
      insert into entry (session_key, generation, turn_id, kind, body)
      select 'acct/reset', 1, 'former', 'note', '{}' from generate_series(1, 350)`);
    await grow40DaysOlder();
    await store.inbox.record(entryOf("reset-3", "reset"));
    await prune();
    assert.equal(await count("entry", "long"), 2);
    assert.equal(await count("entry", "reset"), 2);
    assert.equal(await count("memory", "reset"), 1);
  });

  it("goes on behind thousands of rows of one instant that stay", async () => {
    await client.query(`
      insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at, turn_id)
      select 'acct/block', n, 'acct', 'block-' || n, 'block', 'queue', '{}', '2020-01-01', case when n > 5000 then 'gone' end
        from generate_series(1, 9000) as n`);
    await client.query("update inbox set recorded_at = '2020-01-02' where session_key = 'acct/block' and seq > 7000");
    await prune();
    assert.equal(await count("inbox", "block"), 5_000);
    await client.query("delete from inbox where session_key = 'acct/block'");
  });

  it("goes on with the other tables when one cannot be pruned", async () => {
    await live("apart", "apart");
    await grow40DaysOlder();
    await client.query("alter table inbox rename to inbox_away");
    const { removed, failed } = await test.store.operations.prune(30, never);
    await client.query("alter table inbox_away rename to inbox");
    assert.ok(removed > 0);
    assert.ok(failed.includes("inbox") && !failed.includes("turn") && !failed.includes("sent_message"));
    const { rows } = await client.query("select from sent_message where sent_at < now() - interval '30 days'");
    assert.equal(rows.length, 0);
  });

  it("keeps that a conversation was told of a limit for as long as a window may last", async () => {
    await client.query(`
      insert into told (account_id, conversation_id, topic, told_at)
      select 'acct', 'place', topic || ' ' || days, now() - days * interval '1 day'
        from unnest(array[2, 29, 32]) as days, unnest(array['limit', 'other']) as topic`);
    await prune();
    const { rows } = await client.query("select topic from told where conversation_id = 'place' order by topic");
    assert.deepEqual(
      rows.map(({ topic }) => topic),
      ["limit 2", "limit 29"],
    );
  });

  it("is left to one process at a time, and ends when it is told to", async () => {
    await client.query("select pg_advisory_lock(7420002)");
    assert.deepEqual(await test.store.operations.prune(30, never), { removed: 0, failed: [] });
    await client.query("select pg_advisory_unlock(7420002)");
    await live("late", "late");
    await grow40DaysOlder();
    assert.deepEqual(await test.store.operations.prune(30, AbortSignal.abort()), { removed: 0, failed: [] });
    assert.ok((await prune()) > 0);
  });

  it("hears of a message that comes while its session is being forgotten", async () => {
    const { store } = test;
    await store.operations.prune(30, never);
    for (let round = 0; round < 10; round += 1) {
      const session = `race-${round}`;
      await live(`${session}-1`, session);
      await client.query("update total set value = 1000000 where name = 'forgotten_seq'");
      await grow40DaysOlder();
      const [recorded] = await Promise.all([test.open().inbox.record(entryOf(`${session}-2`, session)), prune()]);
      assert.equal(recorded.outcome, "recorded");
      const found = await store.turns.claim(keyOf(session), await newWorker(store), limits);
      assert.deepEqual(
        found?.pending.map(({ event }) => event.id),
        [`${session}-2`],
      );
    }
  });
});
