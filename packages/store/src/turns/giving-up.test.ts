import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, isGatewayError, type ProcessId } from "@talaria/protocol";
import pg from "pg";
import {
  accountId,
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  limits,
  newAccountLease,
  newWorker,
  strandedSessions,
  type TestStore,
} from "../test-store.ts";

const internal = (error: unknown) => isGatewayError(error, "internal");

describe("a session that cannot be worked through", () => {
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

  const claimBy = (session: string, worker: ProcessId) => test.store.turns.claim(keyOf(session), worker, limits);

  /** A worker takes the session and dies. */
  async function die(session: string): Promise<void> {
    const worker = await newWorker(test.store);
    assert.ok(await claimBy(session, worker));
    await test.store.processes.retire(worker);
  }

  async function noticesOf(session: string): Promise<readonly string[]> {
    const { rows } = await client.query("select body ->> 'markdown' as text from outbox where session_key = $1", [
      keyOf(session),
    ]);
    return rows.map(({ text }) => text);
  }

  async function stateOf(id: string): Promise<readonly unknown[]> {
    const status = await test.store.inbox.status(accountId, eventOf(id, "any").id);
    return [status?.state, status?.reason];
  }

  async function isStuck(session: string): Promise<boolean> {
    const stuck = await test.store.operations.stuck(3_600_000, 100);
    return stuck.some(({ sessionKey, setAsideAt }) => sessionKey === keyOf(session) && setAsideAt !== undefined);
  }

  it("is not given up for hand-overs, however many", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("handed-1", "handed"));
    let { lease } = await beginTurn(store, "handed", await newWorker(store));
    for (let n = 0; n < 5; n += 1) {
      await store.turns.handOver(lease);
      const found = await claim(store, "handed", await newWorker(store));
      assert.equal(found.open?.failures, 0);
      ({ lease } = found);
    }
  });

  it("is given up when three holders died in its turn: people are told, the turn ends, the session goes on", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("died-1", "died"));
    const worker = await newWorker(store);
    await beginTurn(store, "died", worker);
    await store.processes.retire(worker);
    for (let n = 0; n < 2; n += 1) await die("died");
    await store.inbox.record(entryOf("died-2", "died"));
    const found = await claim(store, "died", await newWorker(store));
    assert.equal(found.open, undefined);
    assert.deepEqual(
      found.pending.map(({ event }) => event.id),
      ["died-2"],
    );
    assert.deepEqual(found.history, [], "what kills workers does not come back");
    assert.deepEqual(await noticesOf("died"), [limits.givenUpMarkdown]);
    assert.deepEqual(await stateOf("died-1"), ["answered", "crash_loop"]);
    assert.equal(await isStuck("died"), true);
    await store.turns.handOver(found.lease);
    await completeTurn(store, await beginTurn(store, "died", await newWorker(store)));
    assert.equal(await isStuck("died"), false);
  });

  it("is given up when three holders died before its turn began", async () => {
    const { store } = test;
    for (const id of ["early-1", "early-2"]) await store.inbox.record(entryOf(id, "early"));
    const before = (await store.operations.backlog()).setAsideSessions;
    for (let n = 0; n < 3; n += 1) await die("early");
    assert.equal(await claimBy("early", await newWorker(store)), undefined);
    assert.deepEqual(await noticesOf("early"), [limits.givenUpMarkdown]);
    for (const id of ["early-1", "early-2"]) assert.deepEqual(await stateOf(id), ["dropped", "set_aside"]);
    assert.equal(await isStuck("early"), true);
    assert.equal((await store.operations.backlog()).setAsideSessions, before + 1);
    assert.equal(
      (await strandedSessions(store)).some(({ sessionKey }) => sessionKey === keyOf("early")),
      false,
    );
    const [row] = await store.outbox.due(await newAccountLease(store), [], 100);
    assert.ok(row, "the notice can be read and sent");

    await store.inbox.record(entryOf("early-3", "early"));
    const turn = await beginTurn(store, "early", await newWorker(store));
    assert.deepEqual(turn.start.take, [3], "a later message is answered without those that were set aside");
    await completeTurn(store, turn);
    assert.equal(await isStuck("early"), false);
    assert.deepEqual(await noticesOf("early"), [limits.givenUpMarkdown, `answer to ${turn.start.turnId}`]);
  });

  it("is given up when its holders failed, and comes back with everything when an operator says so", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("failed-1", "failed"));
    for (let n = 0; n < 3; n += 1) await store.turns.fail((await claim(store, "failed", await newWorker(store))).lease);
    assert.equal(await claimBy("failed", await newWorker(store)), undefined);
    assert.deepEqual(await stateOf("failed-1"), ["dropped", "set_aside"]);
    assert.equal(await store.operations.retrySetAside(keyOf("failed")), 1);
    assert.equal(await isStuck("failed"), false);
    const found = await claim(store, "failed", await newWorker(store));
    assert.deepEqual(
      found.pending.map(({ event }) => event.id),
      ["failed-1"],
    );
    assert.equal(await store.operations.retrySetAside(keyOf("never")), 0);
  });

  it("starts counting again with each turn that ends", async () => {
    const { store } = test;
    for (let n = 0; n < 3; n += 1) {
      await store.inbox.record(entryOf(`again-${n}`, "again"));
      for (let death = 0; death < 2; death += 1) await die("again");
      await completeTurn(store, await beginTurn(store, "again", await newWorker(store)));
    }
    assert.equal(await isStuck("again"), false);
  });

  it("counts nothing that is older than ten minutes", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("slow-1", "slow"));
    for (let n = 0; n < 4; n += 1) {
      await die("slow");
      await client.query(
        "update session set failed_at = array(select at - interval '6 minutes' from unnest(failed_at) at)",
      );
    }
    assert.ok(await claimBy("slow", await newWorker(store)));
  });

  for (const [what, breakIt] of [
    ["its conversation", "update session set conversation = '{}' where session_key = $1"],
    ["its turn", "update turn set route = '{}' where session_key = $1"],
    ["its history", "update entry set body = '[]' where session_key = $1"],
  ] as const) {
    it(`is free again after each claim when this release cannot read ${what}, and given up after three`, async () => {
      const { store } = test;
      const session = `unreadable ${what}`;
      await store.inbox.record(entryOf(`${session} 1`, session));
      const turn = await beginTurn(store, session, await newWorker(store));
      if (what === "its turn") await store.processes.retire(turn.lease.holder);
      else await completeTurn(store, turn);
      await store.inbox.record(entryOf(`${session} 2`, session));
      await client.query(breakIt, [keyOf(session)]);
      await client.query("update inbox set recorded_at = recorded_at - interval '1 minute'");
      const worker = await newWorker(store);
      for (let n = what === "its turn" ? 1 : 0; n < 3; n += 1) {
        assert.ok((await strandedSessions(store)).some(({ sessionKey }) => sessionKey === keyOf(session)));
        await assert.rejects(claimBy(session, worker), internal);
      }
      const found = await claimBy(session, worker);
      assert.equal(found === undefined, what !== "its turn", "only a broken turn leaves something to go on with");
      assert.equal(await isStuck(session), true);
    });
  }

  it("refuses the commit of a holder that wakes up after its turn was given up", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("woken-1", "woken"));
    for (let n = 0; n < 2; n += 1) await die("woken");
    const sleeper = await newWorker(store);
    const turn = await beginTurn(store, "woken", sleeper);
    await store.processes.retire(sleeper);
    assert.equal(await claimBy("woken", await newWorker(store)), undefined);
    await assert.rejects(completeTurn(store, turn), (error) => isGatewayError(error, "conflict"));
    assert.deepEqual(await noticesOf("woken"), [limits.givenUpMarkdown]);
  });

  it("does not tell people about a turn that they had stopped", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("stopped-1", "stopped"));
    const worker = await newWorker(store);
    await beginTurn(store, "stopped", worker);
    const effect = { kind: "stop", sessionKey: keyOf("stopped") } as const;
    await store.inbox.settle({ event: eventOf("stop", "stopped"), outcome: "command", reason: "command:stop", effect });
    await store.processes.retire(worker);
    for (let n = 0; n < 2; n += 1) await die("stopped");
    assert.equal(await claimBy("stopped", await newWorker(store)), undefined);
    assert.deepEqual(await noticesOf("stopped"), []);
    assert.deepEqual(await stateOf("stopped-1"), ["dropped", "stopped"]);
  });

  it("is not taken from somebody who lives by a claim that failed", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("living-1", "living"));
    const { lease } = await claim(store, "living", await newWorker(store));
    const other = { ...lease, holder: brandAs<ProcessId>("somebody else") };
    await assert.rejects(store.turns.fail(other), (error) => isGatewayError(error, "conflict"));
    await store.turns.handOver(lease);
  });
});
