import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import type { StoredEntry } from "../ports/turns.ts";
import {
  answered,
  beginTurn,
  completeTurn,
  createTestStore,
  entryOf,
  keyOf,
  limits,
  newWorker,
  said,
  type TestStore,
} from "../test-store.ts";

describe("the history of a claim", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  /** A settled turn: what was said, these entries, the answer. */
  async function run(session: string, id: string, entries: readonly StoredEntry[]): Promise<void> {
    const { store } = test;
    await store.inbox.record(entryOf(id, session));
    const turn = await beginTurn(store, session, await newWorker(store));
    await store.turns.append(turn.lease, turn.start.turnId, entries);
    await completeTurn(store, turn);
  }

  /** What the next claim brings along. The session is free again afterwards. */
  async function historyOf(session: string, more: Partial<typeof limits>): Promise<readonly StoredEntry[]> {
    const { store } = test;
    const found = await store.turns.claim(keyOf(session), await newWorker(store), { ...limits, ...more });
    assert.ok(found);
    await store.turns.handOver(found.lease);
    return found.history;
  }

  it("forgets the older half of too many entries, whole turns at a time, and not again soon", async () => {
    for (const id of ["hist-1", "hist-2", "hist-3"]) await run("hist", id, [answered("a"), answered("b")]);
    await test.store.inbox.record(entryOf("hist-4", "hist"));
    assert.equal((await historyOf("hist", { historyEntries: 12 })).length, 12);
    const shorter = await historyOf("hist", { historyEntries: 11 });
    assert.deepEqual([shorter.length, shorter[0]], [4, said("hist-3")]);
    assert.deepEqual((await historyOf("hist", { historyEntries: 99 }))[0], said("hist-3"), "forgotten for good");
  });

  const checkpoint = (keeps: number) => ({ kind: "checkpoint", keeps });

  it("begins with what the newest checkpoint keeps, in a turn of its own", async () => {
    await run("check", "check-1", [answered("old")]);
    await run("check", "check-2", [answered("a"), answered("b"), answered("c"), checkpoint(2), answered("d")]);
    await test.store.inbox.record(entryOf("check-3", "check"));
    const [first, second, third, fourth] = await historyOf("check", {});
    assert.deepEqual([first, second, third, fourth], [answered("b"), answered("c"), checkpoint(2), answered("d")]);
    await run("check", "check-3b", [checkpoint(0), answered("e")]);
    await test.store.inbox.record(entryOf("check-4", "check"));
    assert.deepEqual((await historyOf("check", {})).slice(0, 2), [checkpoint(0), answered("e")]);
  });

  it("goes on before a checkpoint whose turn was taken back, and keeps no more than its own turn has", async () => {
    const { store } = test;
    await run("undone", "undone-1", [checkpoint(99), answered("old")]);
    await store.inbox.record(entryOf("undone-2", "undone"));
    const { lease, start } = await beginTurn(store, "undone", await newWorker(store));
    await store.turns.append(lease, start.turnId, [checkpoint(0)]);
    await store.turns.commit(lease, {
      ...{ turnId: start.turnId, outcome: "completed", entries: [], outbox: [], retract: true },
    });
    await store.inbox.record(entryOf("undone-3", "undone"));
    assert.deepEqual((await historyOf("undone", {})).slice(0, 2), [said("undone-1"), checkpoint(99)]);
  });

  it("forgets the older half of too many bytes, whole turns at a time, and not again soon", async () => {
    const long = answered("x".repeat(2_000));
    for (const id of ["bytes-1", "bytes-2", "bytes-3"]) await run("bytes", id, [long]);
    await test.store.inbox.record(entryOf("bytes-4", "bytes"));
    assert.equal((await historyOf("bytes", { historyBytes: 10_000 })).length, 9);
    const shorter = await historyOf("bytes", { historyBytes: 6_000 });
    assert.deepEqual([shorter.length, shorter[0]], [3, said("bytes-3")]);
    assert.deepEqual((await historyOf("bytes", {}))[0], said("bytes-3"), "forgotten for good");
  });

  it("counts bytes, not characters", async () => {
    for (const id of ["wide-1", "wide-2"]) await run("wide", id, [answered("漢".repeat(1_000))]);
    await test.store.inbox.record(entryOf("wide-3", "wide"));
    assert.equal((await historyOf("wide", { historyBytes: 7_000 })).length, 6);
    assert.equal((await historyOf("wide", { historyBytes: 6_000 })).length, 2, "one turn alone is over half of it");
  });

  it("keeps what was asked and answered of one turn that is too large", async () => {
    const results = Array.from({ length: 20 }, (_, n) => answered(`result ${n} ${"x".repeat(1_000)}`));
    await run("large", "large-1", results);
    await test.store.inbox.record(entryOf("large-2", "large"));
    const history = await historyOf("large", { historyBytes: 10_000 });
    assert.deepEqual(history[0], said("large-1"));
    assert.match(JSON.stringify(history.at(-1)), /answer to/);
    assert.ok(JSON.stringify(history).length < 5_000, "both ends together take half of the limit");
    const short = await historyOf("large", { historyEntries: 3 });
    assert.equal(short.length, 2);
  });

  it("leaves out what is larger than the limit by itself", async () => {
    await run("giant", "giant-1", [answered("x".repeat(100_000))]);
    await test.store.inbox.record(entryOf("giant-2", "giant"));
    assert.equal((await historyOf("giant", { historyBytes: 10_000 })).length, 2);
  });

  it("is read without the lock of the session's row: others record meanwhile", async () => {
    const { store } = test;
    await run("unlocked", "unlocked-1", []);
    await store.inbox.record(entryOf("unlocked-2", "unlocked"));
    const connect = async () => {
      const connected = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
      await connected.connect();
      return connected;
    };
    const [client, beside] = [await connect(), await connect()];
    try {
      await client.query("begin");
      await client.query("lock table entry in access exclusive mode");
      const claiming = store.turns.claim(keyOf("unlocked"), await newWorker(store), limits);
      for (;;) {
        const { rows } = await client.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        if (rows.length > 0) break;
      }
      await beside.query("select from session where session_key = $1 for update nowait", [keyOf("unlocked")]);
      assert.equal((await test.open().inbox.record(entryOf("unlocked-3", "unlocked"))).outcome, "recorded");
      await client.query("rollback");
      assert.equal((await claiming)?.pending.length, 1, "what came after the claim is not part of it");
    } finally {
      await Promise.all([client.end(), beside.end()]);
    }
  });
});
