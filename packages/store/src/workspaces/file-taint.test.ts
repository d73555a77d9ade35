import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isGatewayError, type ProcessId } from "@talaria/protocol";
import {
  beginTurn,
  completeTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newWorker,
  type TestStore,
} from "../test-store.ts";

describe("files that may hold words of strangers", () => {
  let test: TestStore;
  let worker: ProcessId;
  before(async () => {
    test = await createTestStore();
    worker = await newWorker(test.store);
  });
  after(() => test[Symbol.asyncDispose]());

  const marked = (session: string) => test.store.fileTaint.of(keyOf(session));

  async function turnOf(session: string) {
    await test.store.inbox.record(entryOf(`e-${session}`, session));
    return await beginTurn(test.store, session, worker);
  }

  async function leaseOf(session: string) {
    return (await turnOf(session)).lease;
  }

  it("are added to those before, each once, and to all of them nothing is", async () => {
    const lease = await leaseOf("adds");
    assert.deepEqual(await marked("adds"), []);
    await test.store.fileTaint.mark(lease, ["b.txt", "a.txt"]);
    await test.store.fileTaint.mark(lease, ["a.txt", "c/d.txt"]);
    assert.deepEqual(await marked("adds"), ["a.txt", "b.txt", "c/d.txt"]);
    await test.store.fileTaint.mark(lease, "all");
    await test.store.fileTaint.mark(lease, ["a.txt"]);
    assert.equal(await marked("adds"), "all");
    assert.deepEqual(await marked("nobody"), []);
  });

  it("are all of them where there are too many", async () => {
    const lease = await leaseOf("many");
    const paths = (from: number) => Array.from({ length: 300 }, (_, n) => `${from + n}.txt`);
    await test.store.fileTaint.mark(lease, paths(0));
    await test.store.fileTaint.mark(lease, paths(200));
    assert.equal((await marked("many")).length, 500);
    await test.store.fileTaint.mark(lease, paths(300));
    assert.equal(await marked("many"), "all");
    await test.store.fileTaint.mark(await leaseOf("most"), [...paths(0), ...paths(1_000)]);
    assert.equal(await marked("most"), "all");
  });

  it("are marked by nobody but the holder of the session", async () => {
    const lease = await leaseOf("held");
    await assert.rejects(test.store.fileTaint.mark({ ...lease, fence: lease.fence + 1 }, "all"), (error) =>
      isGatewayError(error, "conflict"),
    );
    assert.deepEqual(await marked("held"), []);
  });

  it("are added for a caller's workspace without a session, and known to be none", async () => {
    const { fileTaint } = test.store;
    const workspace = keyOf("mcp/ide-1");
    assert.equal(await fileTaint.ofCaller(workspace), undefined);
    for (let n = 0; n < 2; n += 1) await fileTaint.markOfCaller(workspace, []);
    assert.deepEqual(await fileTaint.ofCaller(workspace), []);
    await fileTaint.markOfCaller(workspace, ["b.txt"]);
    await fileTaint.markOfCaller(workspace, ["a.txt", "b.txt"]);
    assert.deepEqual(await fileTaint.ofCaller(workspace), ["a.txt", "b.txt"]);
    await fileTaint.markOfCaller(workspace, "all");
    await fileTaint.markOfCaller(workspace, ["c.txt"]);
    assert.equal(await fileTaint.ofCaller(workspace), "all");
  });

  it("count as the owner's once an owner says so, and never while a turn runs, which knows them as they were", async () => {
    const turn = await turnOf("trusted");
    await test.store.fileTaint.mark(turn.lease, "all");
    const trust = async (id: string) => {
      const settled = await test.store.inbox.settle({
        event: eventOf(id, "trusted"),
        outcome: "command",
        reason: "command:trust",
        effect: { kind: "trust_files", sessionKey: keyOf("trusted") },
      });
      return settled.outcome === "settled" && settled.applied;
    };
    assert.equal(await trust("t1"), false);
    assert.equal(await marked("trusted"), "all");
    await completeTurn(test.store, turn);
    assert.equal(await trust("t2"), true);
    assert.deepEqual(await marked("trusted"), []);
    assert.equal(await trust("t3"), false, "there is nothing left");
  });
});
