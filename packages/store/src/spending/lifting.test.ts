import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { brandAs, type Conversation, type ProcessId, type UserId } from "@talaria/protocol";
import pg from "pg";
import type { RefusalNotice, Spender } from "../ports/spending.ts";
import type { Store } from "../store.ts";
import {
  answered,
  claim,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newWorker,
  startOf,
  type TestStore,
  textOf,
} from "../test-store.ts";

const dayMs = 86_400_000;

describe("a limit that an owner lifts", () => {
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

  const keyFor = (name: string) => `tokens/person/acct/${name}`;
  const idOf = (key: string) => createHash("md5").update(key).digest("hex").slice(0, 12);
  const spender = (name: string, max = 100): Spender => ({
    charges: [{ key: keyFor(name), unit: "tokens", windowMs: 30 * dayMs, max }],
  });

  /** Whether a turn of theirs begins. It then uses as many tokens. */
  async function turn(name: string, worth: number, from = store, holder = worker): Promise<boolean> {
    await from.inbox.record(entryOf(crypto.randomUUID(), name));
    const { lease, pending, ...rest } = await claim(from, name, holder);
    const start = { ...startOf({ lease, pending, ...rest }), spenders: [spender(name)] };
    const { reached } = await from.turns.begin(lease, start);
    if (reached.length > 0) {
      await from.turns.drop(
        lease,
        pending.map(({ seq }) => ({ seq, reason: "spending_limit" })),
      );
      await from.turns.release(lease);
      return false;
    }
    const usage = { inputTokens: 1, outputTokens: 0, worth };
    const entries = [{ ...answered("yes"), usage }];
    await from.turns.commit(lease, { turnId: start.turnId, outcome: "completed", entries, outbox: [] });
    return true;
  }

  async function lift(key: string): Promise<boolean> {
    const event = eventOf(crypto.randomUUID(), "owner", "/lift");
    const effect = { kind: "lift", sessionKey: keyOf("owner"), key, by: "acct/boss" } as const;
    const settled = await store.inbox.settle({ event, outcome: "command", reason: "command:lift", effect });
    return settled.outcome === "settled" && settled.applied;
  }

  it("counts on and refuses nobody for a day, and no other limit is lifted with it", async () => {
    for (const name of ["ada", "bob"]) assert.equal(await turn(name, 150), true);
    assert.deepEqual([await turn("ada", 0), await turn("bob", 0)], [false, false]);
    assert.equal(await lift(keyFor("ada")), true);
    const other = test.open();
    const elsewhere = await newWorker(other);
    assert.equal(await turn("ada", 50, other, elsewhere), true);
    assert.equal(await turn("bob", 0), false);
    const [ada] = await store.operations.spent([keyFor("ada")]);
    assert.equal(ada?.used, 200);
    assert.ok((ada?.liftedForMs ?? 0) > dayMs - 600_000 && (ada?.liftedForMs ?? 0) <= dayMs);
    const { rows } = await client.query("select lifted_by from spending where key = $1", [keyFor("ada")]);
    assert.deepEqual(rows, [{ lifted_by: "acct/boss" }]);

    await client.query("update spending set lifted_until = clock_timestamp() where key = $1", [keyFor("ada")]);
    assert.equal(await turn("ada", 0), false, "the day is over");
    assert.equal((await store.operations.spent([keyFor("ada")]))[0]?.liftedForMs, undefined);
  });

  it("is found by the number that its notice names, while it is reached", async () => {
    await turn("cid", 99);
    const key = keyFor("cid");
    assert.deepEqual(await store.operations.spentNamed(idOf(key)), []);
    await turn("cid", 1);
    assert.deepEqual(
      (await store.operations.spentNamed(idOf(key))).map((one) => one.key),
      [key],
    );
  });

  it("is lifted once, and not before it is reached", async () => {
    await turn("dan", 99);
    assert.equal(await lift(keyFor("dan")), false);
    await turn("dan", 1);
    const both = await Promise.all([lift(keyFor("dan")), lift(keyFor("dan"))]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.equal(await lift(keyFor("dan")), false);
    assert.equal(await lift(keyFor("nobody")), false);
  });

  it("goes on in a turn that runs", async () => {
    const { lease, ...found } = await (async () => {
      await store.inbox.record(entryOf(crypto.randomUUID(), "eve"));
      return await claim(store, "eve", worker);
    })();
    const start = { ...startOf({ lease, ...found }), spenders: [spender("eve")] };
    await store.turns.begin(lease, start);
    const uses = (worth: number) => [{ ...answered("a"), usage: { inputTokens: 1, outputTokens: 0, worth } }];
    assert.equal((await store.turns.append(lease, start.turnId, uses(100))).reached?.key, keyFor("eve"));
    assert.equal(await lift(keyFor("eve")), true);
    assert.deepEqual(await store.turns.append(lease, start.turnId, uses(100)), {});
  });

  it("is told to owners once in each of their places, and again after the day", async () => {
    const home = (name: string): Conversation => conversationOf(`home-${name}`);
    for (const name of ["boss", "chief"]) {
      const effect = {
        kind: "home",
        sessionKey: keyOf(name),
        userId: brandAs<UserId>(name),
        conversation: home(name),
      } as const;
      await store.inbox.settle({ event: eventOf(`home-${name}`, name), outcome: "command", reason: "sethome", effect });
    }
    await turn("fay", 100);
    const refuse = async (n: number) => {
      await store.inbox.record(entryOf(`fay-${n}`, "fay"));
      const { lease, pending } = await claim(store, "fay", worker);
      const { conversation: _, ...atHomes } = textOf(`told-${n}`, "fay");
      const notice: RefusalNotice = { key: keyFor("fay"), windowMs: 30 * dayMs, events: 1, atHomes };
      await store.turns.drop(
        lease,
        pending.map(({ seq }) => ({ seq, reason: "spending_limit" })),
        [notice],
      );
    };
    const told = async () =>
      (
        await client.query(
          "select body -> 'conversation' ->> 'conversationId' as place from outbox where delivery_key like 'told-%' order by id",
        )
      ).rows.map(({ place }) => place);
    await refuse(1);
    await refuse(2);
    assert.deepEqual((await told()).toSorted(), ["home-boss", "home-chief"]);
    await lift(keyFor("fay"));
    await client.query("update spending set lifted_until = clock_timestamp() where key = $1", [keyFor("fay")]);
    await refuse(3);
    assert.equal((await told()).length, 4);
  });
});
