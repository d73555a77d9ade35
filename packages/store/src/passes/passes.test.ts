import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import {
  brandAs,
  type Conversation,
  type Derived,
  type FactSubject,
  isGatewayError,
  type Platform,
  type ProcessId,
} from "@talaria/protocol";
import pg from "pg";
import type { SessionEffect } from "../ports/inbox.ts";
import type { PassCost, PassLease, PassWrite } from "../ports/passes.ts";
import type { Spender } from "../ports/spending.ts";
import {
  accountId,
  beginTurn,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newWorker,
  type TestStore,
} from "../test-store.ts";

const { sender } = eventOf("any", "any");
const derived: Derived = { taint: [], askers: [{ sender, role: "member" }] };
const perDay = 4;

describe("passes in the store", () => {
  let test: TestStore;
  let worker: ProcessId;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    worker = await newWorker(test.store);
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });
  afterEach(async () =>
    assert.equal(await test.store.passes.claim(worker, 100), undefined, "nothing is left for others"),
  );

  let events = 0;

  async function say(session: string, count: number, platform: Platform = "loopback"): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      events += 1;
      const id = `e${events}`;
      const entry = entryOf(id, session);
      const conversation: Conversation = { ...conversationOf(session), platform };
      await test.store.inbox.record({ ...entry, event: { ...entry.event, conversation }, route: conversation });
      await completeTurn(test.store, await beginTurn(test.store, session, worker));
    }
  }

  async function settle(session: string, effect: object): Promise<void> {
    events += 1;
    await test.store.inbox.settle({
      event: eventOf(`c${events}`, session),
      outcome: "command",
      reason: "command",
      effect: { ...effect, sessionKey: keyOf(session) } as unknown as SessionEffect,
    });
  }

  const reset = (session: string) => settle(session, { kind: "reset", pass: true });

  async function claimed(holder = worker, most = perDay): Promise<PassLease> {
    const found = await test.store.passes.claim(holder, most);
    assert.ok(found !== undefined && "fence" in found);
    return found;
  }

  const end = (lease: PassLease) => test.store.passes.finish(lease, undefined, undefined);

  async function costOf(session: string, spenders: readonly Spender[] = []): Promise<PassCost> {
    const usage = { inputTokens: 100, outputTokens: 10, model: "small", provider: "p", cost: 7 };
    const { conversationId } = conversationOf(session);
    return { accountId, conversationId, spenders, people: ["acct/42"], answer: { kind: "note", usage } };
  }

  const adding = (text: string): PassWrite => ({
    ...{ author: "42", eventId: brandAs("e1"), archive: [], confirm: [] },
    add: { text, trust: "said", version: 1, derived },
  });

  const textsOf = async (subject: FactSubject) => (await test.store.facts.of(subject)).facts.map(({ text }) => text);

  it("are wanted by a reset that says so, after three lines, and never of a webhook's conversation", async () => {
    await say("short", 2);
    await reset("short");
    await say("plain", 3);
    await settle("plain", { kind: "reset" });
    await say("hook", 3, "webhook");
    await reset("hook");
    assert.equal(await test.store.passes.claim(worker, perDay), undefined);
    await say("long", 3);
    await reset("long");
    const lease = await claimed();
    assert.equal(lease.sessionKey, keyOf("long"));
    const { conversation, entries, isWhole } = await test.store.passes.read(lease);
    assert.deepEqual([conversation, isWhole], [conversationOf("long"), true]);
    assert.deepEqual(
      [entries.filter(({ entry }) => entry.kind === "user").length, entries.every(({ isNew }) => isNew)],
      [3, true],
    );
    await end(lease);
  });

  it("go through what is new alone, and once where they were wanted twice", async () => {
    await say("new", 3);
    await reset("new");
    await say("new", 3);
    await reset("new");
    const lease = await claimed();
    assert.equal((await test.store.passes.read(lease)).entries.filter(({ entry }) => entry.kind === "user").length, 6);
    await end(lease);
    assert.equal(await test.store.passes.claim(worker, perDay), undefined);
    await say("new", 3);
    await reset("new");
    const next = await claimed();
    assert.equal((await test.store.passes.read(next)).entries.filter(({ entry }) => entry.kind === "user").length, 3);
    await end(next);
  });

  it("are wanted by what shortens a conversation, in the same transaction, and then again for what comes later", async () => {
    const shorten = async (pass: boolean) => {
      events += 1;
      await test.store.inbox.record(entryOf(`x${events}`, "shortened"));
      const turn = await beginTurn(test.store, "shortened", worker);
      await test.store.turns.append(turn.lease, turn.start.turnId, [{ kind: "checkpoint" }], [], undefined, pass);
      await completeTurn(test.store, turn);
    };
    await say("shortened", 2);
    await shorten(false);
    assert.equal(await test.store.passes.claim(worker, perDay), undefined);
    await shorten(true);
    const lease = await claimed();
    await say("shortened", 3);
    await shorten(true);
    await end(lease);
    const next = await claimed();
    assert.ok(next.until > lease.until);
    const { entries } = await test.store.passes.read(next);
    assert.deepEqual(
      [entries.some(({ isNew }) => !isNew), entries.filter(({ isNew }) => isNew).length > 0],
      [true, true],
    );
    await end(next);
  });

  it("keep all that they have brought with their end and their cost, once", async () => {
    const subject: FactSubject = { scope: "person", key: "acct/once" };
    const charge = { key: "tokens/person/acct/once", unit: "tokens", windowMs: 60_000, max: 50 } as const;
    await say("once", 3);
    await reset("once");
    const lease = await claimed();
    const { version } = await test.store.facts.of(subject);
    const writes = { ...subject, version, writes: [adding("one"), adding("two")] };
    const cost = await costOf("once", [{ charges: [charge] }]);
    assert.deepEqual(await test.store.passes.reached(lease, cost.spenders), []);
    assert.equal(await test.store.passes.finish(lease, { ...writes, version: version + 1 }, cost), false);
    assert.deepEqual(await textsOf(subject), []);
    assert.equal(await test.store.passes.finish(lease, writes, cost), true);
    await assert.rejects(test.store.passes.finish(lease, writes, cost), (error) => isGatewayError(error, "conflict"));
    assert.deepEqual(await textsOf(subject), ["one", "two"]);
    assert.equal((await test.store.passes.reached(lease, cost.spenders))[0]?.key, charge.key);
    const [used] = await test.store.operations.usage({ by: "purpose", withinMs: 60_000, limit: 9 });
    assert.deepEqual([used?.of, used?.answers, used?.inputTokens, used?.cost], ["memory", 1, 100, 7]);
  });

  it("go over to another worker when theirs dies, whose writes count no more", async () => {
    const dead = await newWorker(test.store);
    await say("dead", 3);
    await reset("dead");
    const lost = await claimed(dead);
    assert.equal(await test.store.passes.claim(worker, perDay), undefined);
    await test.store.processes.retire(dead);
    const lease = await claimed();
    assert.ok(lease.fence > lost.fence);
    await assert.rejects(end(lost), (error) => isGatewayError(error, "conflict"));
    await end(lease);
  });

  it("are taken up again by a worker that did not end them", async () => {
    await say("again", 3);
    await reset("again");
    const first = await claimed();
    const second = await claimed();
    await assert.rejects(end(first), (error) => isGatewayError(error, "conflict"));
    await end(second);
  });

  it("are given up when four workers have died of them, or the model has failed twice", async () => {
    await say("deadly", 3);
    await reset("deadly");
    for (let n = 0; n < 4; n += 1) {
      const dead = await newWorker(test.store);
      await claimed(dead);
      await test.store.processes.retire(dead);
    }
    assert.deepEqual(await test.store.passes.claim(worker, perDay), { givenUp: keyOf("deadly") });

    await say("failing", 3);
    await reset("failing");
    assert.equal(await test.store.passes.fail(await claimed(), await costOf("failing")), false);
    const { rows } = await client.query(
      "select not_before > wanted_at as waits from memory_pass where until is not null",
    );
    assert.deepEqual(rows, [{ waits: true }], "not at once");
    await client.query("update memory_pass set not_before = now()");
    assert.equal(await test.store.passes.fail(await claimed(), await costOf("failing")), true);
  });

  it("wait where a conversation was gone through often enough within a day", async () => {
    for (let n = 0; n < 2; n += 1) {
      await say("often", 3);
      await reset("often");
      if (n === 1) assert.equal(await test.store.passes.claim(worker, 1), undefined);
      await test.store.passes.finish(await claimed(worker, 2), undefined, await costOf("often"));
    }
  });

  it("end with a conversation that is deleted", async () => {
    await say("deleted", 3);
    await reset("deleted");
    const lease = await claimed();
    await test.store.chats.forget(
      {
        sessionKey: keyOf("deleted"),
        accountId,
        conversationId: conversationOf("deleted").conversationId,
        why: "",
      },
      new AbortController().signal,
    );
    await assert.rejects(end(lease), (error) => isGatewayError(error, "conflict"));
  });
});
