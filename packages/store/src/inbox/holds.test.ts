import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import { type Database, openDatabase } from "../database/database.ts";
import type { InboxEntry } from "../ports/inbox.ts";
import {
  accountId,
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  keyOf,
  limits,
  newWorker,
  said,
  type TestStore,
} from "../test-store.ts";

const hold = { key: "album", ms: 60_000 };

describe("held events", () => {
  let test: TestStore;
  let database: Database;
  let worker: ProcessId;
  before(async () => {
    test = await createTestStore();
    database = openDatabase({ url: test.url, log: silentLog, clock: systemClock, maxConnections: 2 });
    worker = await newWorker(test.store);
  });
  after(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  const record = (id: string, session: string, more: Partial<InboxEntry> = {}) =>
    test.store.inbox.record({ ...entryOf(id, session), ...more });
  const found = async (session: string) =>
    (await test.store.turns.claim(keyOf(session), worker, limits))?.pending.map(({ event }) => event.id);
  /** As if so many milliseconds had gone by. */
  const pass = (session: string, ms: number) =>
    database.query({
      text: `update inbox
                set recorded_at = recorded_at - $2::float8 * interval '1 millisecond',
                    held_until = held_until - $2::float8 * interval '1 millisecond',
                    hold_limit = hold_limit - $2::float8 * interval '1 millisecond',
                    media_until = media_until - $2::float8 * interval '1 millisecond'
              where session_key = $1`,
      values: [keyOf(session), ms],
    });
  const stranded = async (session: string) =>
    (await test.store.turns.stranded()).sessions.some(({ sessionKey }) => sessionKey === keyOf(session));

  it("wait until their time has come, and are then read together", async () => {
    const first = await record("wait-1", "wait", { hold });
    assert.deepEqual(first, { outcome: "recorded", seq: 1, waitMs: 60_000 });
    await record("wait-2", "wait", { hold });
    assert.equal(await found("wait"), undefined);
    await pass("wait", 60_000);
    assert.deepEqual(await found("wait"), ["wait-1", "wait-2"]);
  });

  it("begin to wait anew with each that follows", async () => {
    await record("anew-1", "anew", { hold });
    await pass("anew", 40_000);
    await record("anew-2", "anew", { hold });
    await pass("anew", 40_000);
    assert.equal(await found("anew"), undefined);
    await pass("anew", 20_000);
    assert.deepEqual(await found("anew"), ["anew-1", "anew-2"]);
  });

  it("wait for no longer than five times their wait in all", async () => {
    await record("bound-0", "bound", { hold });
    for (let n = 1; n <= 6; n += 1) {
      await pass("bound", 45_000);
      const recorded = await record(`bound-${n}`, "bound", { hold });
      const waitMs = recorded.outcome === "recorded" ? (recorded.waitMs ?? 0) : 0;
      const most = Math.min(60_000, 300_000 - n * 45_000);
      assert.ok(waitMs <= most && waitMs > most - 10_000, `${n}: ${waitMs} of ${most}`);
    }
    await pass("bound", 30_000);
    assert.equal((await found("bound"))?.length, 7);
  });

  it("are counted from the first also when they are recorded in one batch", async () => {
    const answers = await Promise.all(["a", "b", "c"].map((id) => record(`batch-${id}`, "batch", { hold })));
    assert.deepEqual(
      answers.map((answer) => answer.outcome === "recorded" && answer.seq),
      [1, 2, 3],
    );
    assert.equal(await found("batch"), undefined);
    await pass("batch", 60_000);
    assert.equal((await found("batch"))?.length, 3);
  });

  it("hold up what comes after them, and nothing before them", async () => {
    await record("order-1", "order");
    await record("order-2", "order", { hold });
    await record("order-3", "order");
    const turn = await beginTurn(test.store, "order", worker);
    assert.deepEqual(
      turn.claim.pending.map(({ event }) => event.id),
      ["order-1"],
    );
    assert.deepEqual(await completeTurn(test.store, turn), { released: true });
    assert.equal(await found("order"), undefined);
    await pass("order", 60_000);
    assert.deepEqual(await found("order"), ["order-2", "order-3"]);
  });

  it("keep a session that is busy until they are ready", async () => {
    await record("busy-1", "busy");
    await record("busy-2", "busy", { hold });
    const turn = await beginTurn(test.store, "busy", worker);
    await pass("busy", 60_000);
    assert.deepEqual(await completeTurn(test.store, turn), { released: false });
    assert.deepEqual(await found("busy"), ["busy-2"]);
  });

  it("do not steer a turn before they are ready", async () => {
    await record("steer-1", "steer");
    const { lease, start } = await beginTurn(test.store, "steer", worker);
    await record("steer-2", "steer", { mode: "steer" });
    await record("steer-3", "steer", { mode: "steer", hold });
    await record("steer-4", "steer", { mode: "steer" });
    const steer = async () => {
      const taken: string[] = [];
      await test.store.turns.steer(lease, start.turnId, (events) => {
        taken.push(...events.map(({ event }) => event.id));
        return [said("more")];
      });
      return taken;
    };
    assert.deepEqual(await steer(), ["steer-2"]);
    assert.deepEqual(await steer(), []);
    await pass("steer", 60_000);
    assert.deepEqual(await steer(), ["steer-3", "steer-4"]);
  });

  it("interrupt a turn that began before them and does not know them", async () => {
    await record("cut-1", "cut");
    await record("cut-2", "cut", { mode: "interrupt", hold });
    const { lease, claim: seen } = await beginTurn(test.store, "cut", worker);
    assert.equal(seen.pending.length, 1);
    assert.equal(await test.store.turns.cancelled(lease, 1), "superseded");
  });

  it("are found by the sweeper when nobody was woken, and not before they are ready", async () => {
    await record("sweep-1", "sweep", { hold });
    await record("sweep-2", "sweep");
    await pass("sweep", 50_000);
    assert.equal(await stranded("sweep"), false);
    await pass("sweep", 20_000);
    assert.equal(await stranded("sweep"), true);
  });

  it("wait for their attachments until those are there", async () => {
    const recorded = await record("media-1", "media", { mediaHoldMs: 60_000 });
    assert.equal(recorded.outcome === "recorded" && recorded.waitMs, 60_000);
    await record("media-2", "media");
    assert.equal(await found("media"), undefined);
    assert.equal(await test.store.inbox.mediaReady(accountId, entryOf("media-2", "media").event.id), undefined);
    const ready = await test.store.inbox.mediaReady(accountId, entryOf("media-1", "media").event.id);
    assert.deepEqual(ready, { sessionKey: keyOf("media"), waitMs: 0 });
    assert.deepEqual(await found("media"), ["media-1", "media-2"]);
  });

  it("wait for their attachments no longer than they were told to", async () => {
    await record("late-1", "late", { mediaHoldMs: 60_000 });
    await pass("late", 60_000);
    assert.deepEqual(await found("late"), ["late-1"]);
  });

  it("wait for both, attachments and company", async () => {
    await record("both-1", "both", { hold: { key: "album", ms: 600_000 }, mediaHoldMs: 60_000 });
    const ready = await test.store.inbox.mediaReady(accountId, entryOf("both-1", "both").event.id);
    assert.ok(ready !== undefined && ready.waitMs > 500_000);
    assert.equal(await found("both"), undefined);
  });

  it("are dropped like others by a command", async () => {
    await record("stop-1", "stop", { hold });
    const { event } = entryOf("stop", "stop");
    const effect = { kind: "stop", sessionKey: keyOf("stop") } as const;
    const settled = await test.store.inbox.settle({ event, outcome: "command", reason: "command:stop", effect });
    assert.deepEqual(settled, { outcome: "settled", applied: true });
    await pass("stop", 60_000);
    assert.equal(await found("stop"), undefined);
  });

  it("know an event again that waits", async () => {
    await record("again-1", "again", { hold });
    assert.deepEqual(await record("again-1", "again", { hold }), { outcome: "duplicate" });
    await pass("again", 60_000);
    assert.deepEqual((await claim(test.store, "again", worker)).pending.length, 1);
  });
});
