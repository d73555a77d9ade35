import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { brandAs, type EventId, instantOf, turnIdOf } from "@talaria/protocol";
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
  newWorker,
  type RunningTurn,
  said,
  startOf,
  type TestStore,
} from "../test-store.ts";

describe("stop, reset, retry and interrupt", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  const effect = (kind: "stop" | "reset" | "retry", session: string) =>
    test.store.inbox.settle({
      event: eventOf(`${kind}-${randomUUID()}`, session),
      outcome: "command",
      reason: `command:${kind}`,
      effect: { kind, sessionKey: keyOf(session) },
    });
  const abort = ({ lease, start }: RunningTurn, reason?: string) =>
    test.store.turns.commit(lease, {
      turnId: start.turnId,
      outcome: "aborted",
      ...(reason === undefined ? {} : { reason }),
      entries: [],
      outbox: [],
    });
  const stateOf = async (id: string) => {
    const status = await test.store.inbox.status(accountId, brandAs<EventId>(id));
    return status && [status.state, status.reason];
  };
  const record = (id: string, session: string, mode: "queue" | "interrupt" = "queue") =>
    test.store.inbox.record(entryOf(id, session, mode));

  for (const kind of ["stop", "reset", "retry"] as const) {
    it(`${kind} finds nothing to do in a session that never was`, async () => {
      assert.deepEqual(await effect(kind, `void-${kind}`), { outcome: "settled", applied: false });
    });
  }

  it("stop drops what waits", async () => {
    await record("w1", "waits");
    await record("w2", "waits");
    assert.deepEqual(await effect("stop", "waits"), { outcome: "settled", applied: true });
    assert.deepEqual(await stateOf("w1"), ["dropped", "stopped"]);
    assert.deepEqual(await effect("stop", "waits"), { outcome: "settled", applied: false });
    assert.equal(await test.store.turns.claim(keyOf("waits"), await newWorker(test.store), limits), undefined);
    assert.equal((await record("w3", "waits")).outcome, "recorded");
    assert.equal((await claim(test.store, "waits", await newWorker(test.store))).pending[0]?.seq, 3);
  });

  it("stop ends the running turn, tells who runs it, and spares what comes later", async () => {
    const worker = await newWorker(test.store);
    await record("r1", "runs");
    const turn = await beginTurn(test.store, "runs", worker);
    await record("r2", "runs");
    const write = () => test.store.turns.append(turn.lease, turn.start.turnId, [said("more")]);
    assert.equal(await test.store.turns.cancelled(turn.lease, 1), undefined);
    assert.deepEqual(await write(), {});
    assert.deepEqual(await effect("stop", "runs"), { outcome: "settled", applied: true, holder: worker });
    assert.equal(await test.store.turns.cancelled(turn.lease, 1), "stopped");
    const call = { callId: "c1", name: "pay", arguments: "{}", waitsFor: "approval", shown: "pay" } as const;
    const ask = { id: "0badcafe", ...call, askers: [], expiresAt: instantOf(Date.now() + 3_600_000) };
    assert.deepEqual(
      await test.store.turns.append(turn.lease, turn.start.turnId, [said("more")], [{ ask }]),
      { cancelled: "stopped" },
      "also whoever was not told hears it before a call begins",
    );
    assert.deepEqual(await test.store.calls.waiting(keyOf("runs")), [], "and nobody is asked about one");
    await record("r3", "runs");
    assert.deepEqual(await abort(turn), { released: false });
    assert.deepEqual(await stateOf("r1"), ["dropped", "stopped"]);
    assert.deepEqual(await stateOf("r2"), ["dropped", "stopped"]);
    const next = await beginTurn(test.store, "runs", worker);
    assert.deepEqual(next.start.take, [3]);
    assert.equal(await test.store.turns.cancelled(next.lease, 3), undefined);
  });

  it("stop between claim and begin cancels the turn from its first moment", async () => {
    const worker = await newWorker(test.store);
    await record("g1", "gap");
    const found = await claim(test.store, "gap", worker);
    assert.deepEqual(await effect("stop", "gap"), { outcome: "settled", applied: true, holder: worker });
    const start = startOf(found);
    assert.deepEqual(await test.store.turns.begin(found.lease, start), { reached: [], cancelled: "stopped" });
    assert.equal(await test.store.turns.cancelled(found.lease, 1), "stopped");
    assert.deepEqual(await abort({ lease: found.lease, claim: found, start }), { released: true });
    assert.deepEqual(await stateOf("g1"), ["dropped", "stopped"]);
  });

  it("a turn whose worker died stays stopped for the next one", async () => {
    await record("d1", "died");
    const { lease } = await beginTurn(test.store, "died", await newWorker(test.store));
    await effect("stop", "died");
    await test.store.turns.handOver(lease);
    const found = await claim(test.store, "died", await newWorker(test.store));
    assert.equal(found.open?.cancelled, "stopped");
  });

  it("reset begins an empty memory with a prompt of its own, and keeps the old transcript", async () => {
    const worker = await newWorker(test.store);
    await record("m1", "memory");
    const first = await beginTurn(test.store, "memory", worker);
    await test.store.turns.keepTools(first.lease, first.start.turnId, "[]");
    await completeTurn(test.store, first);
    await record("m2", "memory");
    const { history, tools } = await claim(test.store, "memory", worker);
    assert.deepEqual([history.length, tools], [2, "[]"]);
    assert.equal((await effect("reset", "memory")).outcome, "settled");
    await record("m3", "memory");
    const found = await claim(test.store, "memory", worker);
    assert.deepEqual([found.history, found.prompt, found.pending.map(({ seq }) => seq)], [[], undefined, [3]]);
    await test.store.turns.begin(found.lease, { ...startOf(found), prompt: "be brief" });
    const again = await claim(test.store, "memory", worker);
    assert.deepEqual([again.prompt, again.tools], ["be brief", undefined]);
    const kept = await test.store.operations.trace(turnIdOf(keyOf("memory"), 1));
    assert.ok(kept[0]?.steps.some(({ step }) => step === "model answered"));
  });

  it("reset during a turn, or between claim and begin, keeps that turn out of the new memory", async () => {
    const worker = await newWorker(test.store);
    await record("n1", "new");
    const running = await beginTurn(test.store, "new", worker);
    await effect("reset", "new");
    await test.store.turns.append(running.lease, running.start.turnId, [said("old words")]);
    await abort(running);
    await record("n2", "new");
    const found = await claim(test.store, "new", worker);
    assert.deepEqual(found.history, []);
    await effect("reset", "new");
    const start = { ...startOf(found), prompt: "old prompt" };
    await test.store.turns.begin(found.lease, start);
    assert.equal(await test.store.turns.cancelled(found.lease, 2), "stopped");
    await abort({ lease: found.lease, claim: found, start });
    await record("n3", "new");
    const last = await claim(test.store, "new", worker);
    assert.deepEqual([last.history, last.prompt], [[], undefined]);
    assert.deepEqual(await effect("reset", "new"), { outcome: "settled", applied: true, holder: worker });
    assert.deepEqual(await effect("reset", "new"), { outcome: "settled", applied: false, holder: worker });
  });

  it("retry takes the last answered turn out of the memory and records its events again", async () => {
    const worker = await newWorker(test.store);
    for (const id of ["t1", "t2"]) {
      await record(id, "again");
      await completeTurn(test.store, await beginTurn(test.store, "again", worker));
    }
    assert.deepEqual(await effect("retry", "again"), { outcome: "settled", applied: true });
    const found = await claim(test.store, "again", worker);
    assert.deepEqual(found.history, [
      said("t1"),
      { kind: "assistant", text: `answer to ${turnIdOf(keyOf("again"), 1)}` },
    ]);
    assert.deepEqual(
      found.pending.map(({ seq }) => seq),
      [3],
    );
    const [event] = found.pending.map((pending) => pending.event);
    assert.notEqual(event?.id, "t2");
    assert.equal(event?.type === "message.created" && event.message.markdown, "t2");
    assert.deepEqual(await effect("retry", "again"), { outcome: "settled", applied: false, holder: worker });
    const running = await beginTurn(test.store, "again", worker);
    assert.deepEqual(await effect("retry", "again"), { outcome: "settled", applied: false, holder: worker });
    await completeTurn(test.store, running);
    assert.deepEqual(await effect("retry", "again"), { outcome: "settled", applied: true });
    assert.deepEqual((await claim(test.store, "again", worker)).history.length, 2);
    assert.deepEqual(await stateOf("t2"), ["answered", undefined]);
    const { lines } = await test.store.chats.history(
      { accountId, conversationId: entryOf("t2", "again").route.conversationId },
      50,
    );
    const people = lines.filter(({ from, did }) => from === "person" && did === undefined);
    assert.deepEqual(
      people.map(({ id }) => id),
      ["t1", "t2"],
    );
  });

  it("an interrupting message supersedes the running turn, whose words stay in the memory", async () => {
    const worker = await newWorker(test.store);
    await record("i1", "burst");
    const first = await beginTurn(test.store, "burst", worker);
    assert.deepEqual(await record("i2", "burst", "interrupt"), { outcome: "recorded", seq: 2, holder: worker });
    assert.equal(await test.store.turns.cancelled(first.lease, 1), "superseded");
    await abort(first);
    assert.deepEqual(await stateOf("i1"), ["dropped", "superseded"]);
    const second = await beginTurn(test.store, "burst", worker);
    assert.deepEqual(second.claim.history, [said("i1")]);
    assert.equal(await test.store.turns.cancelled(second.lease, 2), undefined);
  });

  it("an interrupting message between claim and begin supersedes as well; one that the claim saw does not", async () => {
    const worker = await newWorker(test.store);
    await record("b1", "between");
    await record("b2", "between", "interrupt");
    const found = await claim(test.store, "between", worker);
    const start = startOf(found, [1]);
    await test.store.turns.begin(found.lease, start);
    assert.equal(await test.store.turns.cancelled(found.lease, 1), undefined);
    await completeTurn(test.store, { lease: found.lease, claim: found, start });
    const second = await claim(test.store, "between", worker);
    await record("b3", "between", "interrupt");
    await test.store.turns.begin(second.lease, startOf(second));
    assert.equal(await test.store.turns.cancelled(second.lease, 2), "superseded");
  });

  it("the commit has the last word on a turn that was interrupted too late", async () => {
    const worker = await newWorker(test.store);
    await record("l1", "too-late");
    const turn = await beginTurn(test.store, "too-late", worker);
    await record("l2", "too-late", "interrupt");
    await completeTurn(test.store, turn);
    assert.deepEqual(await stateOf("l1"), ["answered", undefined]);
  });
});
