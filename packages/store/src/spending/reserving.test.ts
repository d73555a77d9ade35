import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ProcessId } from "@talaria/protocol";
import type { Spender } from "../ports/spending.ts";
import type { Store } from "../store.ts";
import { answered, claim, createTestStore, entryOf, newWorker, startOf, type TestStore } from "../test-store.ts";

const limit = 3_000;

/** Somebody with a limit of tokens of their own. */
function spender(name: string): Spender {
  return { charges: [{ key: `tokens/person/${name}`, unit: "tokens", windowMs: 60_000, max: limit }] };
}

function usedBy(inputTokens: number) {
  return { ...answered("an answer"), usage: { inputTokens, outputTokens: 0 } };
}

describe("what turns are about to use", () => {
  let test: TestStore;
  let store: Store;
  let worker: ProcessId;

  before(async () => {
    test = await createTestStore();
    store = test.store;
    worker = await newWorker(store);
  });
  after(async () => await test[Symbol.asyncDispose]());

  async function begin(name: string, session: string, reserves = 1_000, from = store, holder = worker) {
    await from.inbox.record(entryOf(crypto.randomUUID(), session));
    const found = await claim(from, session, holder);
    const start = { ...startOf(found), spenders: [spender(name)], reserves };
    const { reached } = await from.turns.begin(found.lease, start);
    return { lease: found.lease, turnId: start.turnId, isBegun: reached.length === 0 };
  }

  async function used(name: string) {
    return (await store.operations.spent([`tokens/person/${name}`]))[0]?.used;
  }

  async function end({ lease, turnId }: Awaited<ReturnType<typeof begin>>, tokens: number) {
    await store.turns.commit(lease, { turnId, outcome: "completed", entries: [usedBy(tokens)], outbox: [] });
  }

  it("can't be spent by others, however many begin at once in however many processes", async () => {
    const processes = [test.open(), test.open()];
    const holders = await Promise.all(processes.map((one) => newWorker(one)));
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => begin("ada", `ada-${n}`, 1_000, processes[n % 2], holders[n % 2])),
    );
    const begun = all.filter(({ isBegun }) => isBegun);
    assert.equal(begun.length, 3);
    for (const one of begun) await end(one, 1_010);
    assert.equal(await used("ada"), 3_030);
  });

  it("is settled with what was used as soon as that is counted", async () => {
    const first = await begin("bob", "bob-1", limit);
    assert.equal((await begin("bob", "bob-2")).isBegun, false);
    await store.turns.append(first.lease, first.turnId, [usedBy(100)]);
    assert.equal((await begin("bob", "bob-3")).isBegun, true);
    assert.equal(await used("bob"), 100);
  });

  it("ends with its turn, also of one that has used nothing, and whoever goes on with it", async () => {
    const first = await begin("eve", "eve-1", limit);
    await store.turns.handOver(first.lease);
    assert.equal((await begin("eve", "eve-2")).isBegun, false, "somebody will go on with it");
    const { lease } = await claim(store, "eve-1", await newWorker(store));
    await store.turns.commit(lease, { turnId: first.turnId, outcome: "failed", entries: [], outbox: [] });
    assert.equal((await begin("eve", "eve-3")).isBegun, true);
    assert.equal(await used("eve"), 0);
  });

  it("ends nobody's own turn, and keeps nobody from one turn", async () => {
    const first = await begin("ida", "ida-1", 2 * limit);
    assert.equal(first.isBegun, true);
    assert.deepEqual(await store.turns.append(first.lease, first.turnId, [usedBy(limit - 1)]), {});
    assert.equal((await store.turns.append(first.lease, first.turnId, [usedBy(1)])).reached?.key, "tokens/person/ida");
  });
});
