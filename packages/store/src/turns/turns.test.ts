import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, isGatewayError, type ProcessId, type TurnId, turnIdOf, type UserId } from "@talaria/protocol";
import type { Store } from "../store.ts";
import {
  accountId,
  answered,
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  keyOf,
  limits,
  newAccountLease,
  newWorker,
  said,
  startOf,
  strandedSessions,
  type TestStore,
} from "../test-store.ts";

const conflict = (error: unknown) => isGatewayError(error, "conflict");

describe("turns", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("carries an event from claim to reply", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("one-1", "one"));
    const found = await claim(store, "one", worker);
    assert.deepEqual(found.lease, { sessionKey: keyOf("one"), holder: worker, fence: 1 });
    assert.equal(found.conversation.conversationId, "one");
    assert.equal(found.prompt, undefined);
    assert.deepEqual(found.history, []);
    assert.deepEqual(
      found.pending.map(({ seq, event, mode }) => [seq, event.id, mode]),
      [[1, "one-1", "queue"]],
    );
    const start = startOf(found);
    await store.turns.begin(found.lease, start);
    await store.turns.append(found.lease, start.turnId, [answered("half")]);
    await store.turns.savePartial(found.lease, start.turnId, "half an ans");
    const partial = await store.turns.partial(start.turnId);
    assert.deepEqual([partial?.state, partial?.text, partial?.fence], ["running", "half an ans", 1]);
    assert.deepEqual(await completeTurn(store, { lease: found.lease, claim: found, start }), { released: true });
    assert.equal((await store.turns.partial(start.turnId))?.state, "completed");
    const due = await store.outbox.due(await newAccountLease(store), [], 10);
    assert.deepEqual(
      due.map(({ turnId, kind }) => [turnId, kind]),
      [[start.turnId, "reply"]],
    );
  });

  it("tells who asked for the answer of a turn, each of them once, steering included", async () => {
    const { store } = test;
    const from = (id: string, userId: string) => {
      const entry = entryOf(id, "asked", "steer");
      const sender = { ...entry.event.sender, userId: brandAs<UserId>(userId) };
      return { ...entry, event: { ...entry.event, sender } };
    };
    await store.inbox.record(from("asked-1", "ada"));
    await store.inbox.record(from("asked-2", "ada"));
    const turn = await beginTurn(store, "asked", await newWorker(store));
    await store.inbox.record(from("asked-3", "grace"));
    await store.turns.steer(turn.lease, turn.start.turnId, () => [said("asked-3")]);
    await store.inbox.record(from("asked-4", "late"));
    const asked = await store.turns.asked(turn.start.turnId);
    assert.deepEqual(asked?.askers.map(({ sender }) => sender.userId).toSorted(), ["ada", "grace"]);
    assert.equal(asked?.route.conversationId, "asked");
    assert.equal(await store.turns.asked(brandAs<TurnId>("never")), undefined);
  });

  it("keeps the order of keys and every character of an entry", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("keys", "keys"));
    const turn = await beginTurn(store, "keys", worker);
    const entry = { kind: "assistant", zebra: 1, b: { y: 1.0, x: [null, '\u2028 \\ " 😀'] }, aa: -0.5e-7 };
    await store.turns.append(turn.lease, turn.start.turnId, [entry]);
    await completeTurn(store, turn);
    await store.inbox.record(entryOf("keys-2", "keys"));
    const { history, prompt } = await claim(store, "keys", worker);
    assert.equal(JSON.stringify(history[1]), JSON.stringify(entry));
    assert.equal(prompt, "be kind");
  });

  it("keeps what the prompt of a memory was shown of tools, as it was written, for its holder alone", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("tools", "tools"));
    const turn = await beginTurn(store, "tools", worker);
    const shown = JSON.stringify({ zebra: 1, b: "\u0000 \ud800 😀", aa: [1.5] });
    await store.turns.keepTools(turn.lease, turn.start.turnId, "[]");
    await store.turns.keepTools(turn.lease, turn.start.turnId, shown);
    assert.equal((await claim(store, "tools", worker)).tools, shown);
    const stale = { ...turn.lease, fence: turn.lease.fence - 1 };
    await assert.rejects(store.turns.keepTools(stale, turn.start.turnId, "[]"), conflict);
    await assert.rejects(store.turns.keepTools(turn.lease, brandAs<TurnId>("another"), "[]"), conflict);
    await completeTurn(store, turn);
    await assert.rejects(store.turns.keepTools(turn.lease, turn.start.turnId, "[]"), conflict);
    await store.inbox.record(entryOf("tools-2", "tools"));
    assert.equal((await claim(store, "tools", worker)).tools, shown);
  });

  it("has one holder at a time, who may claim again", async () => {
    const { store } = test;
    const [mine, theirs] = [await newWorker(store), await newWorker(store)];
    await store.inbox.record(entryOf("hold", "hold"));
    const claims = await Promise.all(
      [mine, theirs].map((worker, index) => (index ? test.open() : store).turns.claim(keyOf("hold"), worker, limits)),
    );
    const [first] = claims.filter((found) => found !== undefined);
    assert.equal(claims.filter((found) => found !== undefined).length, 1);
    const again = await claim(store, "hold", first!.lease.holder);
    assert.equal(again.lease.fence, first!.lease.fence);
  });

  it("answers undefined where nothing waits, and refuses a worker without a lease of its own", async () => {
    const { store } = test;
    assert.equal(await store.turns.claim(keyOf("nobody"), await newWorker(store), limits), undefined);
    await store.inbox.record(entryOf("dead", "dead"));
    await assert.rejects(store.turns.claim(keyOf("dead"), brandAs<ProcessId>("never registered"), limits), conflict);
  });

  it("gives the session of a dead worker to another, and refuses every write of the one that comes back", async () => {
    const { store } = test;
    const sleeper = await newWorker(store);
    await store.inbox.record(entryOf("fence-1", "fence"));
    const stale = await beginTurn(store, "fence", sleeper);
    await store.inbox.record(entryOf("fence-2", "fence", "steer"));
    await endLease(store, sleeper);
    assert.deepEqual(
      (await strandedSessions(store)).filter(({ sessionKey }) => sessionKey === keyOf("fence")),
      [{ sessionKey: keyOf("fence"), fence: 1 }],
    );
    assert.equal(await store.processes.renew(sleeper, 60_000, {}), false);
    const taken = await claim(store, "fence", await newWorker(store));
    assert.equal(taken.lease.fence, 2);
    assert.equal(taken.open?.turnId, stale.start.turnId);
    assert.equal(taken.open?.failures, 1);
    assert.deepEqual(taken.open?.journal, [said("fence-1")]);

    const { lease, start } = stale;
    const { turns } = store;
    await assert.rejects(turns.begin(lease, { ...start, turnId: turnIdOf(lease.sessionKey, 2), take: [2] }), conflict);
    await assert.rejects(turns.append(lease, start.turnId, [answered("stale")]), conflict);
    await assert.rejects(
      turns.steer(lease, start.turnId, () => [said("stale")]),
      conflict,
    );
    await assert.rejects(turns.savePartial(lease, start.turnId, "stale"), conflict);
    await assert.rejects(completeTurn(store, stale), conflict);
    await assert.rejects(turns.drop(lease, [{ seq: 2, reason: "stale" }]), conflict);
    await assert.rejects(turns.release(lease), conflict);
    await assert.rejects(turns.handOver(lease), conflict);
    await assert.rejects(turns.cancelled(lease, 1), conflict);

    const again = await claim(store, "fence", taken.lease.holder);
    assert.deepEqual(again.open?.journal, [said("fence-1")]);
    assert.deepEqual(
      again.pending.map(({ seq }) => seq),
      [2],
    );
    assert.equal((await turns.partial(start.turnId))?.text, "");
    const due = await store.outbox.due(await newAccountLease(store), [], 100);
    assert.equal(
      due.some(({ sessionKey }) => sessionKey === lease.sessionKey),
      false,
    );
  });

  it("accepts a holder whose own lease ended while nobody wanted its session", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("late", "late"));
    const turn = await beginTurn(store, "late", worker);
    await endLease(store, worker);
    assert.deepEqual(await completeTurn(store, turn), { released: true });
  });

  it("answers a repeated commit as the first time and writes nothing twice", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("twice", "twice"));
    const turn = await beginTurn(store, "twice", worker);
    assert.deepEqual(await completeTurn(store, turn), { released: true });
    assert.deepEqual(await completeTurn(store, turn), { released: true });
    await store.inbox.record(entryOf("twice-2", "twice"));
    const { history } = await claim(store, "twice", worker);
    assert.equal(history.length, 2);
  });

  it("stays with its holder while something waits", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("more-1", "more"));
    const turn = await beginTurn(store, "more", worker);
    await store.inbox.record(entryOf("more-2", "more"));
    assert.equal(await store.turns.release(turn.lease), false);
    assert.deepEqual(await completeTurn(store, turn), { released: false });
    assert.deepEqual(await completeTurn(store, turn), { released: false });
    assert.equal(await store.turns.release(turn.lease), false);
    await store.turns.drop(turn.lease, [{ seq: 2, reason: "deleted" }]);
    assert.equal(await store.turns.release(turn.lease), true);
    assert.equal((await store.inbox.status(accountId, entryOf("more-2", "more").event.id))?.reason, "deleted");
  });

  it("lets a turn take some of the events and drop others", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    for (const id of ["some-1", "some-2", "some-3"]) await store.inbox.record(entryOf(id, "some"));
    const found = await claim(store, "some", worker);
    await store.turns.begin(found.lease, { ...startOf(found, [1]), drop: [{ seq: 2, reason: "deleted" }] });
    const again = await claim(store, "some", worker);
    assert.deepEqual(
      again.pending.map(({ seq }) => seq),
      [3],
    );
  });

  it("steers the leading events that may be, and keeps the others in order", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("steer-1", "steer"));
    const { lease, start } = await beginTurn(store, "steer", worker);
    assert.deepEqual(await store.turns.steer(lease, start.turnId, () => assert.fail("nothing waits")), []);
    await store.inbox.record(entryOf("steer-2", "steer", "steer"));
    await store.inbox.record(entryOf("steer-3", "steer", "queue"));
    await store.inbox.record(entryOf("steer-4", "steer", "steer"));
    const entries = await store.turns.steer(lease, start.turnId, (events) => events.map(({ event }) => said(event.id)));
    assert.deepEqual(entries, [said("steer-2")]);
    const { pending, open } = await claim(store, "steer", worker);
    assert.deepEqual(
      pending.map(({ seq }) => seq),
      [3, 4],
    );
    assert.deepEqual(open?.journal, [said("steer-1"), said("steer-2")]);
  });

  it("says whether words wait that would be steered, and to nobody but the holder", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("words-1", "words"));
    const { lease, start } = await beginTurn(store, "words", worker);
    const wait = () => store.turns.wordsWait(lease, start.turnId);
    assert.equal(await wait(), false);
    await store.inbox.record(entryOf("words-2", "words", "steer"));
    assert.equal(await wait(), true);
    await assert.rejects(store.turns.wordsWait({ ...lease, fence: 0 }, start.turnId), conflict);
    await store.turns.steer(lease, start.turnId, () => [said("words-2")]);
    assert.equal(await wait(), false);
    await store.inbox.record(entryOf("words-3", "words", "queue"));
    await store.inbox.record(entryOf("words-4", "words", "steer"));
    assert.equal(await wait(), false, "they wait for the end of the turn");
  });

  it("steers fifty events at a time", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("many-0", "many"));
    const { lease, start } = await beginTurn(store, "many", await newWorker(store));
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => store.inbox.record(entryOf(`many-${n + 1}`, "many", "steer"))),
    );
    const steered = () => store.turns.steer(lease, start.turnId, (events) => events.map(({ event }) => said(event.id)));
    assert.deepEqual([(await steered()).length, (await steered()).length, (await steered()).length], [50, 10, 0]);
  });

  it("reads again when an event was stopped while it was being steered", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("race-1", "race"));
    const { lease, start } = await beginTurn(store, "race", worker);
    await store.inbox.record(entryOf("race-2", "race", "steer"));
    const stop = { kind: "stop", sessionKey: keyOf("race") } as const;
    let stopping: Promise<unknown> | undefined;
    // The statement that takes the events waits for the session until the stop has been committed.
    const steered = store.turns.steer(lease, start.turnId, (events) => {
      stopping = test.open().inbox.settle({
        event: entryOf("race-stop", "race").event,
        outcome: "command",
        reason: "command:stop",
        effect: stop,
      });
      return events.map(({ event }) => said(event.id));
    });
    await steered;
    await stopping;
    const { open } = await claim(store, "race", worker);
    const status = await store.inbox.status(accountId, entryOf("race-2", "race").event.id);
    // Whoever came first: the event is either in the turn or stopped, never both.
    assert.equal(open?.journal.length === 2, status?.state === "running");
    assert.equal(open?.cancelled, "stopped");
  });

  it("keeps what crashed its workers out of the memory", async () => {
    const { store } = test;
    const worker = await newWorker(store);
    await store.inbox.record(entryOf("poison-1", "poison"));
    const turn = await beginTurn(store, "poison", worker);
    const end = {
      turnId: turn.start.turnId,
      outcome: "failed",
      reason: "crash_loop",
      retract: true,
      entries: [],
      outbox: [],
    } as const;
    await store.turns.commit(turn.lease, end);
    await store.inbox.record(entryOf("poison-2", "poison"));
    assert.deepEqual((await claim(store, "poison", worker)).history, []);
    assert.equal((await store.inbox.status(accountId, entryOf("poison-1", "poison").event.id))?.state, "answered");
  });
});

/** The lease runs out now, however long the machine took to come here. */
async function endLease(store: Store, worker: ProcessId): Promise<void> {
  assert.equal(await store.processes.renew(worker, 1, {}), true);
  await new Promise((resolve) => setTimeout(resolve, 10));
}
