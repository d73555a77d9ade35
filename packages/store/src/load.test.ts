import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type EventId, type MessageId, type ProcessId } from "@talaria/protocol";
import pg from "pg";
import type { Store } from "./store.ts";
import {
  accountId,
  answered,
  beginTurn,
  completeTurn,
  createTestStore,
  entryOf,
  keyOf,
  limits,
  newAccountLease,
  newWorker,
  startOf,
  type TestStore,
  textOf,
} from "./test-store.ts";

describe("the store under load", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("settles every event exactly once and in order, with three claimers and no sweeper", async () => {
    const sessions = Array.from({ length: 50 }, (_, index) => `stress-${index}`);
    const perSession = 40;
    const stores = [test.store, test.open(), test.open()];
    const claimers = await Promise.all(stores.map(async (store) => ({ store, worker: await newWorker(store) })));
    const handled = new Map<string, number[]>(sessions.map((session) => [session, []]));
    /** Claiming is re-entrant: a worker must not run one session twice at a time. */
    const queues = new Map<string, Promise<void>>();

    /** What a wake-up does: nothing when somebody has the session, else work until the store releases it. */
    const run = async (session: string, { store, worker }: { store: Store; worker: ProcessId }) => {
      for (;;) {
        const found = await store.turns.claim(keyOf(session), worker, limits);
        if (found === undefined) return;
        const start = startOf(found);
        await store.turns.begin(found.lease, start);
        handled.get(session)?.push(...start.take);
        const outbox = [textOf(`${start.turnId}:reply`, session, { kind: "reply", turnId: start.turnId })];
        const end = { turnId: start.turnId, outcome: "completed", entries: [answered("ok")], outbox } as const;
        const { released } = await store.turns.commit(found.lease, end);
        if (released) return;
      }
    };
    const wake = (session: string, claimer: { store: Store; worker: ProcessId }) => {
      const key = `${claimer.worker} ${session}`;
      queues.set(
        key,
        (queues.get(key) ?? Promise.resolve()).then(() => run(session, claimer)),
      );
    };

    await Promise.all(
      sessions.map(async (session, place) => {
        for (let n = 0; n < perSession; n++) {
          const store = stores[(place + n) % stores.length]!;
          await store.inbox.record(entryOf(`${session}-${n}`, session));
          const claimer = claimers[(place * 7 + n) % claimers.length]!;
          wake(session, claimer);
        }
      }),
    );
    await Promise.all(queues.values());

    const order = Array.from({ length: perSession }, (_, index) => index + 1);
    for (const session of sessions) assert.deepEqual(handled.get(session), order, session);
    assert.deepEqual((await test.store.turns.stranded()).sessions, []);
    const backlog = await test.store.operations.backlog();
    assert.deepEqual([backlog.waitingEvents, backlog.runningTurns], [0, 0]);
    const last = await test.store.inbox.status(accountId, brandAs<EventId>(`stress-0-${perSession - 1}`));
    assert.equal(last?.state, "answered");
  });

  it("reads no table from end to end on the hot path, although its plans are from when the tables were small", async () => {
    await using fresh = await createTestStore();
    const client = new pg.Client({ connectionString: fresh.url, options: "-c search_path=talaria" });
    await client.connect();
    try {
      for (const table of growing) await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
      const before = await scans(client);
      await hotPath(fresh.store, "small");
      await fill(client, 20_000);
      await hotPath(fresh.store, "large");
      await fresh.store.close();
      assert.deepEqual(await scans(client), before);
    } finally {
      await client.end();
    }
  });

  it("reads no more of a lane than its beginning, however long it is blocked", async () => {
    await using fresh = await createTestStore();
    const client = new pg.Client({ connectionString: fresh.url, options: "-c search_path=talaria" });
    await client.connect();
    try {
      const { store } = fresh;
      await client.query(`
        insert into outbox (delivery_key, account_id, conversation_id, kind, body, state, next_at)
        select 'blocked-' || n, 'acct', 'blocked', 'notice', '{}', 'pending',
               now() + case when n = 1 then interval '1 hour' else '0' end
          from generate_series(1, 20000) as n`);
      await client.query("analyze outbox");
      const { outbox: before = 0 } = await rowsRead(client, ["outbox"]);
      const lease = await newAccountLease(store);
      for (let n = 0; n < 10; n += 1) assert.deepEqual(await store.outbox.due(lease, [], 100), []);
      await store.close();
      const { outbox: after = 0 } = await rowsRead(client, ["outbox"]);
      assert.ok(after - before < 10 * 1_500, `${after - before} rows read by ten looks`);
    } finally {
      await client.end();
    }
  });

  it("prunes by reading the old rows and what belongs to them, however many there are", async () => {
    await using fresh = await createTestStore();
    const client = new pg.Client({ connectionString: fresh.url, options: "-c search_path=talaria" });
    await client.connect();
    try {
      await fill(client, 20_000);
      const old = 8_000;
      const ids = Array.from({ length: old }, (_, n) => `old-${n + 1}`);
      const makeOld = "set recorded_at = now() - interval '40 days' where event_id = any ($1)";
      for (const table of ["inbox", "seen"]) await client.query(`update ${table} ${makeOld}`, [ids]);
      // The turns of the others are young, so those events stay.
      const orphans = ids.slice(1_000);
      await client.query("update inbox set turn_id = 'gone' where event_id = any ($1)", [orphans]);
      await client.query("analyze");
      const before = await rowsRead(client);
      const pruned = await fresh.store.operations.prune(30, new AbortController().signal);
      assert.deepEqual(pruned, { removed: 2 * orphans.length, failed: [] });
      await fresh.store.close();
      const after = await rowsRead(client);
      for (const [table, count] of Object.entries(after))
        assert.ok(count - (before[table] ?? 0) <= 4 * old, `${table}: ${count - (before[table] ?? 0)} rows read`);
    } finally {
      await client.end();
    }
  });
});

/** Everything that happens for every message. */
async function hotPath(store: Store, name: string): Promise<void> {
  const worker = await newWorker(store);
  const lease = await newAccountLease(store);
  await store.inbox.record(entryOf(name, name));
  await store.turns.stranded();
  const turn = await beginTurn(store, name, worker);
  const { turnId } = turn.start;
  await store.turns.append(turn.lease, turnId, [answered("x")]);
  await store.turns.steer(turn.lease, turnId, () => []);
  await store.turns.savePartial(turn.lease, turnId, "x");
  await store.turns.cancelled(turn.lease, 1);
  await store.outbox.savePreview(lease, turnId, { state: "posting" });
  await completeTurn(store, turn);
  const [row] = await store.outbox.due(lease, [], 100);
  assert.equal(row?.turnId, turnId);
  await store.outbox.update(lease, { id: row.id, state: "sent", parts: [] });
  await store.outbox.preview(turnId);
  await store.outbox.forgetPreview(lease, turnId);
  await store.inbox.status(accountId, brandAs<EventId>(name));
  await store.operations.backlog();
  await store.chats.history({ accountId, conversationId: row.conversation.conversationId }, 20);
  await store.operations.sentByUs(accountId, row.conversation.conversationId, brandAs<MessageId>("none"));
  await store.operations.trace(name);
}

/** Tables that grow with the number of messages. */
const growing = ["session", "seen", "inbox", "turn", "entry", "outbox", "memory", "sent_message", "preview"];

/** How often each was read from end to end. */
function scans(client: pg.Client): Promise<Record<string, number>> {
  return statistics(client, growing, "seq_scan");
}

/** How many rows of each were read; by default of the tables that must be pruned without reading all of them. */
function rowsRead(client: pg.Client, tables = growing.filter((table) => table !== "session")) {
  return statistics(client, tables, "seq_tup_read + coalesce(idx_tup_fetch, 0)");
}

/** Once every other connection has reported and gone. */
async function statistics(
  client: pg.Client,
  tables: readonly string[],
  value: string,
): Promise<Record<string, number>> {
  for (;;) {
    const { rows } = await client.query(
      "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    if (rows.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await client.query("select pg_stat_force_next_flush()");
  const { rows } = await client.query(
    `select relname, (${value})::integer as count from pg_stat_user_tables where relname = any ($1)`,
    [tables],
  );
  assert.equal(rows.length, tables.length);
  return Object.fromEntries(rows.map(({ relname, count }) => [relname, count]));
}

/** So many sessions with one settled turn each. */
async function fill(client: pg.Client, count: number): Promise<void> {
  const event = JSON.stringify(entryOf("old", "old").event);
  const route = JSON.stringify(entryOf("old", "old").route);
  const each = "from generate_series(1, $1::integer) as n";
  const fillers = [
    `insert into session (session_key, conversation, last_seq) select 'acct/old-' || n, $2::jsonb, 1 ${each}`,
    `insert into seen select 'old-' || n, 'acct', 'old-' || n, 'm-' || n, '42', now(), now() ${each} where $2::jsonb is not null`,
    `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at, turn_id)
     select 'acct/old-' || n, 1, 'acct', 'old-' || n, 'old-' || n, 'queue', $2::jsonb, now(), 'old-' || n ${each}`,
    `insert into turn (turn_id, session_key, generation, first_seq, last_seq, fence, state, route, ended_at)
     select 'old-' || n, 'acct/old-' || n, 1, 1, 1, 1, 'completed', $2::jsonb, now() ${each}`,
    `insert into entry (session_key, generation, turn_id, kind, body)
     select 'acct/old-' || n, 1, 'old-' || n, 'note', '{"kind":"note"}'
       ${each}, generate_series(1, 3) where $2::jsonb is not null`,
    `insert into outbox (delivery_key, account_id, conversation_id, kind, body, state, settled_at)
     select 'old-' || n, 'acct', 'old-' || n, 'reply', $2::jsonb, 'sent', now() ${each}`,
  ];
  for (const [place, text] of fillers.entries()) await client.query(text, [count, place === 2 ? event : route]);
}
