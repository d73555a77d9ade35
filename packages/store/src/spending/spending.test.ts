import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ProcessId } from "@talaria/protocol";
import pg from "pg";
import type { Spender, SpenderCharge } from "../ports/spending.ts";
import type { Store } from "../store.ts";
import {
  answered,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  newWorker,
  said,
  startOf,
  type TestStore,
  textOf,
} from "../test-store.ts";

/** A counter of its own for each test. */
function charge(key: string, max: number | null, more: Partial<SpenderCharge> = {}): SpenderCharge {
  const unit = key.startsWith("tokens/") ? "tokens" : "turns";
  return { key, unit, windowMs: 60_000, max, ...more };
}

function spender(...charges: readonly SpenderCharge[]): Spender {
  return { charges };
}

function usedBy(inputTokens: number, outputTokens: number) {
  return { ...answered("an answer"), usage: { inputTokens, outputTokens } };
}

describe("what is spent", () => {
  let test: TestStore;
  let store: Store;
  let worker: ProcessId;
  let client: pg.Client;

  before(async () => {
    test = await createTestStore();
    store = test.store;
    worker = await newWorker(store);
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  /** Records an event and begins a turn with everything that waits in the session. */
  async function begin(session: string, spenders: readonly Spender[], from = store, holder = worker) {
    await from.inbox.record(entryOf(crypto.randomUUID(), session));
    const found = await claim(from, session, holder);
    const start = { ...startOf(found), spenders };
    return { lease: found.lease, claim: found, start, ...(await from.turns.begin(found.lease, start)) };
  }

  async function turn(session: string, spenders: readonly Spender[]): Promise<boolean> {
    const begun = await begin(session, spenders);
    if (begun.reached.length === 0) await completeTurn(store, begun);
    return begun.reached.length === 0;
  }

  /** What waits in the session is refused, and people are told. */
  async function refuse(key: string, notice: string, session: string, spenders: readonly Spender[], more: object = {}) {
    const { lease, claim: found } = await begin(session, spenders);
    const drop = found.pending.map(({ seq }) => ({ seq, reason: "spending_limit" }));
    const text = { ...textOf(notice, session), ...more };
    await store.turns.drop(lease, drop, [{ key, windowMs: 60_000, events: drop.length, text }]);
    await store.turns.release(lease);
  }

  async function noticesLike(pattern: string): Promise<readonly string[]> {
    const { rows } = await client.query("select delivery_key from outbox where delivery_key like $1 order by id", [
      pattern,
    ]);
    return rows.map(({ delivery_key }) => delivery_key);
  }

  /** As if so much time had passed. */
  async function wait(key: string, ms: number): Promise<void> {
    await client.query("update spending set started_at = started_at - $2 * interval '1 millisecond' where key = $1", [
      key,
      ms,
    ]);
  }

  async function used(key: string): Promise<number | undefined> {
    return (await store.operations.spent([key]))[0]?.used;
  }

  it("refuses a turn at the limit, writes nothing, and says when the window ends", async () => {
    const ada = [spender(charge("turns/person/refuses", 2))];
    assert.deepEqual([await turn("a1", ada), await turn("a1", ada)], [true, true]);
    const { lease, reached, claim: found } = await begin("a1", ada);
    assert.equal(reached.length, 1);
    assert.equal(reached[0]?.n, 0);
    assert.equal(reached[0]?.key, "turns/person/refuses");
    assert.ok((reached[0]?.endsInMs ?? 0) > 0 && (reached[0]?.endsInMs ?? 0) <= 60_000);
    assert.equal(await used("turns/person/refuses"), 2);
    const again = await claim(store, "a1", worker);
    assert.deepEqual(
      again.pending.map(({ seq }) => seq),
      found.pending.map(({ seq }) => seq),
    );
    assert.equal(again.open, undefined);
    await store.turns.drop(
      lease,
      found.pending.map(({ seq }) => ({ seq, reason: "spending_limit" })),
    );
  });

  it("begins a new window with the first turn after the old one", async () => {
    const ada = [spender(charge("turns/person/window", 1))];
    assert.equal(await turn("a2", ada), true);
    await wait("turns/person/window", 59_000);
    assert.equal(await turn("a2", ada), false);
    await wait("turns/person/window", 2_000);
    assert.equal(await turn("a2", ada), true);
    assert.equal(await used("turns/person/window"), 1);
  });

  it("counts each counter once for a turn, however many share it", async () => {
    const shared = charge("turns/conversation/shared", 9);
    await turn("a3", [spender(charge("turns/person/x3", 9), shared), spender(charge("turns/person/y3", 9), shared)]);
    assert.deepEqual(
      [await used("turns/conversation/shared"), await used("turns/person/x3"), await used("turns/person/y3")],
      [1, 1, 1],
    );
  });

  it("holds under many beginners in several processes, and deadlocks nobody", async () => {
    const first = charge("turns/account/first", 12);
    const second = charge("turns/account/second", 100);
    const processes = [test.open(), test.open(), test.open()];
    const holders = await Promise.all(processes.map((one) => newWorker(one)));
    const begun = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const from = processes[n % 3] ?? store;
        const spenders = n % 2 === 0 ? [spender(first, second)] : [spender(second, first)];
        return await begin(`many-${n}`, spenders, from, holders[n % 3] ?? worker);
      }),
    );
    assert.equal(begun.filter(({ reached }) => reached.length === 0).length, 12);
    assert.equal(await used("turns/account/first"), 12);
  });

  it("counts an owner without refusing", async () => {
    const owner = [spender(charge("turns/person/owner", null))];
    for (let n = 0; n < 3; n += 1) assert.equal(await turn("a4", owner), true);
    assert.equal(await used("turns/person/owner"), 3);
  });

  it("counts the provider's tokens and ends a turn that nobody can pay for any more", async () => {
    const ada = spender(charge("tokens/person/ada5", 100));
    const bob = spender(charge("tokens/person/bob5", 1_000));
    const { lease, start } = await begin("a5", [ada, bob]);
    assert.deepEqual(await store.turns.append(lease, start.turnId, [said("no usage")]), {});
    assert.deepEqual(await store.turns.append(lease, start.turnId, [usedBy(100, 50)]), {});
    const { reached } = await store.turns.append(lease, start.turnId, [usedBy(800, 200)]);
    assert.equal(reached?.key, "tokens/person/ada5");
    assert.deepEqual([await used("tokens/person/ada5"), await used("tokens/person/bob5")], [1_150, 1_150]);
  });

  it("counts the last answer with the commit, once", async () => {
    const begun = await begin("a6", [spender(charge("tokens/person/ada6", 100))]);
    const end = { turnId: begun.start.turnId, outcome: "completed" as const, entries: [usedBy(70, 5)], outbox: [] };
    await store.turns.commit(begun.lease, end);
    await store.turns.commit(begun.lease, end);
    assert.equal(await used("tokens/person/ada6"), 75);
  });

  it("lets whoever takes part in a turn steer it, and refuses others at their limit", async () => {
    const ada = spender(charge("turns/person/ada7", 1));
    const eve = spender(charge("turns/person/eve7", 0));
    const { lease, start } = await begin("a7", [ada]);
    await store.inbox.record(entryOf("a7-more", "a7", "steer"));
    const costs = (who: Spender) => ({
      spendersOf: () => [who],
      refuse: () => ({
        drop: [{ seq: 3, reason: "spending_limit" }],
        notices: [{ key: "turns/person/eve7", windowMs: 60_000, events: 1 }],
      }),
    });
    const own = await store.turns.steer(lease, start.turnId, () => [said("more")], costs(ada));
    assert.deepEqual(own, [said("more")]);
    await store.inbox.record(entryOf("a7-eve", "a7", "steer"));
    assert.deepEqual(await store.turns.steer(lease, start.turnId, () => [said("eve")], costs(eve)), []);
    assert.equal(
      (await store.inbox.status(entryOf("a7-eve", "a7").event.conversation.accountId, entryOf("a7-eve", "a7").event.id))
        ?.reason,
      "spending_limit",
    );
  });

  it("charges whoever steered for what follows", async () => {
    const { lease, start } = await begin("a8", [spender(charge("tokens/person/ada8", 1_000))]);
    await store.inbox.record(entryOf("a8-more", "a8", "steer"));
    const bob = spender(charge("tokens/person/bob8", 1_000));
    await store.turns.steer(lease, start.turnId, () => [said("more")], {
      spendersOf: () => [bob],
      refuse: () => assert.fail(),
    });
    await store.turns.append(lease, start.turnId, [usedBy(10, 1)]);
    assert.deepEqual([await used("tokens/person/ada8"), await used("tokens/person/bob8")], [11, 11]);
  });

  it("tells people once in a window, and counts what was refused", async () => {
    const ada = [spender(charge("turns/person/told", 1))];
    await turn("a9", ada);
    await refuse("turns/person/told", "notice-1", "a9", ada);
    await refuse("turns/person/told", "notice-2", "a9", ada);
    assert.equal((await store.operations.spent(["turns/person/told"]))[0]?.refused, 2);
    await wait("turns/person/told", 61_000);
    await turn("a9", ada);
    await refuse("turns/person/told", "notice-3", "a9", ada);
    assert.deepEqual(await noticesLike("notice-%"), ["notice-1", "notice-3"]);
  });

  it("tells each conversation in which somebody is refused, once in a window", async () => {
    const ada = [spender(charge("turns/person/everywhere", 1))];
    await turn("a12", ada);
    for (const [n, session] of ["a12", "a13", "a12", "a14", "a13"].entries())
      await refuse("turns/person/everywhere", `there-${n}`, session, ada);
    assert.deepEqual(await noticesLike("there-%"), ["there-0", "there-1", "there-3"]);
  });

  it("tells a group later where it was told of another limit just before", async () => {
    const one = [spender(charge("turns/person/one15", 1))];
    const two = [spender(charge("turns/person/two15", 1))];
    await turn("a15", one);
    await turn("a15", two);
    const { conversation } = textOf("group", "a15");
    const asTold = { conversation: { ...conversation, kind: "group" }, operational: { topic: "limit" } };
    await refuse("turns/person/one15", "group-1", "a15", one, asTold);
    await refuse("turns/person/two15", "group-2", "a15", two, asTold);
    await client.query("update told set told_at = told_at - interval '61 minutes' where topic = 'limit'");
    await refuse("turns/person/one15", "group-3", "a15", one, asTold);
    await refuse("turns/person/two15", "group-4", "a15", two, asTold);
    assert.deepEqual(await noticesLike("group-%"), ["group-1", "group-4"]);
  });

  it("shows what accounts used and what is at its limit, and forgets windows that ended a day ago", async () => {
    await turn("a11", [spender(charge("tokens/account/shown", 10), charge("turns/person/quiet", 5))]);
    const { lease, start } = await begin("a11", [spender(charge("tokens/account/shown", 10))]);
    await store.turns.append(lease, start.turnId, [usedBy(4, 4)]);
    const [row] = (await store.operations.spending(100)).filter(({ key }) => key === "tokens/account/shown");
    assert.deepEqual(
      { ...row, endsInMs: 0 },
      { key: "tokens/account/shown", used: 8, max: 10, refused: 0, endsInMs: 0 },
    );
    await wait("tokens/account/shown", 86_400_000 + 61_000);
    await store.operations.prune(90, new AbortController().signal);
    const { rows } = await client.query(
      "select key from spending where key in ('tokens/account/shown', 'turns/person/quiet')",
    );
    assert.deepEqual(rows, [{ key: "turns/person/quiet" }]);
  });
});
