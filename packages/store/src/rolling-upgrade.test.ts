import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase } from "@talaria/postgres";
import { brandAs, isGatewayError, type MessageId, type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { writeNextRelease } from "../../../tests/support/next-release.ts";
import type { AccountLease } from "./ports/outbox.ts";
import { migrate } from "./schema/migrate.ts";
import { readSqlSource, type SqlSource } from "./schema/sql-source.ts";
import { createStore, type Store } from "./store.ts";
import { beginTurn, completeTurn, entryOf, keyOf, limits, never, newAccountLease, newWorker } from "./test-store.ts";

const sessions = Array.from({ length: 12 }, (_, n) => `s${n}`);
const perSession = 12;

/**
 * This release and a next one, on one database. The next one is a changed copy of this package's SQL: each event it records
 * carries its mark, in a column of its own.
 */
describe("a rolling upgrade", () => {
  const present = readSqlSource();
  let folder: string;
  let next: SqlSource;
  let url: string;
  let drop: () => Promise<void>;
  let client: pg.Client;
  const stores: Store[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-next-"));
    next = await nextRelease(folder, 2);
    ({ url, drop } = await createTestDatabase());
    client = new pg.Client({ connectionString: url, options: "-c search_path=talaria" });
    await client.connect();
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await client.end();
    await drop();
    await rm(folder, { recursive: true });
  });

  function start(source: SqlSource): Store {
    const store = createStore({ url, log: silentLog, clock: systemClock, maxConnections: 4, source });
    stores.push(store);
    return store;
  }

  it("loses and doubles nothing while both releases work side by side, each with its own functions", async () => {
    await migrate(url, silentLog, present);
    const before = start(present);
    const work = new Work([before, before]);
    const recorded = [record(work, before, "old"), record(work, before, "shared")];
    const working = [work.answerWith(before), work.answerWith(before), work.deliverWith(before, "gateway-old")];
    await sleep(100);

    await migrate(url, silentLog, next);
    const after = start(next);
    recorded.push(record(work, after, "new"), record(work, after, "shared"));
    working.push(work.answerWith(after), work.answerWith(after));
    await sleep(200);

    // An old process restarts in the middle, and is let in.
    await migrate(url, silentLog, present);
    const restarted = start(present);
    working.push(work.answerWith(restarted));
    await Promise.all(recorded);
    work.handOver("gateway-old");
    working.push(work.deliverWith(after, "gateway-new"));
    await work.finished(client);
    work.end();
    await Promise.all(working);

    const total = sessions.length * perSession * 3;
    const { rows: events } = await client.query(
      "select split_part(event_id, '-', 1) as by, recorded_by, count(*)::integer as count from inbox group by 1, 2 order by 1, 2",
    );
    const countOf = (by: string, mark: string | null) =>
      events.find((row) => row.by === by && row.recorded_by === mark)?.count ?? 0;
    assert.equal(countOf("old", null), sessions.length * perSession);
    assert.equal(countOf("new", "next"), sessions.length * perSession);
    assert.equal(countOf("shared", null) + countOf("shared", "next"), sessions.length * perSession);
    assert.equal(countOf("old", "next") + countOf("new", null), 0);

    const { rows: seqs } = await client.query(
      `select session_key, array_agg(seq::integer order by seq) as seqs, bool_and(turn_id is not null) as answered
         from inbox group by session_key`,
    );
    assert.equal(seqs.length, sessions.length);
    for (const row of seqs) {
      assert.deepEqual(
        row.seqs,
        Array.from({ length: total / sessions.length }, (_, n) => n + 1),
        row.session_key,
      );
      assert.ok(row.answered, row.session_key);
    }
    const { rows: turns } = await client.query(
      `select count(*)::integer as turns, count(distinct outbox.turn_id)::integer as replied,
              count(outbox.id)::integer as replies, bool_and(outbox.state = 'sent') as sent
         from turn left join outbox using (turn_id) where turn.state = 'completed'`,
    );
    assert.deepEqual(turns[0], { turns: work.answered, replied: work.answered, replies: work.answered, sent: true });
    assert.equal(work.sent.length, new Set(work.sent).size, "every reply was sent once");
    assert.equal(work.sent.length, work.answered);
    assert.ok(work.by.get(after)! > 0 && work.by.get(before)! > 0, "both releases answered");
    assert.equal((await before.operations.backlog()).possibleDuplicates, 0);
  });

  it("drops the functions of the former release when no process has used them for a day", async () => {
    const sets = async () =>
      (await client.query("select nspname from pg_namespace where nspname like 'talaria_fn_%' order by 1")).rows.map(
        ({ nspname }) => nspname as string,
      );
    await migrate(url, silentLog, next);
    assert.deepEqual(await sets(), [present.functions.schema, next.functions.schema].sort());
    await client.query("update function_set set last_used = last_used - interval '25 hours' where name = $1", [
      present.functions.schema,
    ]);
    await start(next).operations.prune(30, never);
    assert.deepEqual(await sets(), [next.functions.schema]);
  });

  it("keeps out an older release that can't read the tables any more", async () => {
    const breaking = await nextRelease(folder, 8);
    const fresh = await createTestDatabase();
    await migrate(fresh.url, silentLog, breaking);
    const refused = (error: unknown) =>
      isGatewayError(error, "unsupported") &&
      /is at version 8, but this release knows versions up to 7/.test(error.message);
    await assert.rejects(migrate(fresh.url, silentLog, present), refused);
    const store = createStore({ url: fresh.url, log: silentLog, clock: systemClock, maxConnections: 1 });
    await assert.rejects(store.turns.stranded(), refused);
    await store.close();
    await fresh.drop();
  });
});

/** A copy of this package's SQL, changed as a next release would change it. */
async function nextRelease(parent: string, readableBy: number): Promise<SqlSource> {
  const folder = await mkdtemp(join(parent, "src-"));
  await cp(import.meta.dirname, folder, { recursive: true, filter: (path) => !path.endsWith(".ts") });
  await writeNextRelease(folder, readableBy);
  return readSqlSource(folder);
}

/** Events of every session in order; `shared` ones are recorded by both releases, as a platform that repeats itself does. */
async function record(work: Work, store: Store, name: string): Promise<void> {
  await Promise.all(
    sessions.map(async (session) => {
      for (let n = 0; n < perSession; n += 1) {
        await store.inbox.record(entryOf(`${name}-${session}-${n}`, session));
        work.wake(session);
        await sleep(20);
      }
    }),
  );
}

/** Workers and gateways of both releases, without a queue: every worker looks at every session. */
class Work {
  readonly sent: string[] = [];
  readonly by = new Map<Store, number>();
  answered = 0;
  readonly #awake = new Set<string>();
  readonly #leaving = new Set<string>();
  #isEnded = false;

  constructor(stores: readonly Store[]) {
    for (const store of stores) this.by.set(store, 0);
  }

  wake(session: string): void {
    this.#awake.add(session);
  }

  handOver(gateway: string): void {
    this.#leaving.add(gateway);
  }

  end(): void {
    this.#isEnded = true;
  }

  async answerWith(store: Store): Promise<void> {
    const worker = await newWorker(store);
    while (!this.#isEnded) {
      for (const session of this.#awake) await this.#answer(store, session, worker);
      await sleep(5);
    }
  }

  async #answer(store: Store, session: string, worker: ProcessId): Promise<void> {
    const claim = await store.turns.claim(keyOf(session), worker, limits);
    if (claim === undefined) return;
    for (;;) {
      const turn = await beginTurn(store, session, worker);
      const { released } = await completeTurn(store, turn);
      this.answered += 1;
      this.by.set(store, (this.by.get(store) ?? 0) + 1);
      if (released) return;
    }
  }

  async deliverWith(store: Store, gateway: string): Promise<void> {
    const lease = await this.#acquire(store, gateway);
    while (!this.#isEnded && !this.#leaving.has(gateway)) {
      const rows = await store.outbox.due(lease, [], 20);
      await Promise.all(
        rows.map(async ({ id, deliveryKey }) => {
          this.sent.push(deliveryKey);
          const messageId = brandAs<MessageId>(`m-${id}`);
          const part = { markdown: "x", attachments: [], state: "sent", attempts: 1, unknown: 0, messageId } as const;
          await store.outbox.update(lease, { id, state: "sent", parts: [part] });
        }),
      );
      await sleep(5);
    }
    await store.accounts.release(lease);
  }

  async #acquire(store: Store, gateway: string): Promise<AccountLease> {
    for (;;) {
      try {
        return await newAccountLease(store, gateway);
      } catch {
        await sleep(10);
      }
    }
  }

  /** Everything recorded is answered and sent. */
  async finished(client: pg.Client): Promise<void> {
    for (;;) {
      const { rows } = await client.query(
        `select (select count(*) from inbox where turn_id is null)::integer as waiting,
                (select count(*) from turn where state = 'running')::integer as running,
                (select count(*) from outbox where state = 'pending')::integer as pending`,
      );
      if (Object.values(rows[0] as Record<string, number>).every((count) => count === 0)) return;
      await sleep(20);
    }
  }
}
