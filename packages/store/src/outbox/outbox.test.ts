import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  type AccountId,
  brandAs,
  isGatewayError,
  type MessageId,
  type ProcessId,
  type Sender,
  systemClock,
  type TurnId,
} from "@talaria/protocol";
import pg from "pg";
import type { AccountLease, OutboxPart, OutboxRow, OutboxUpdate } from "../ports/outbox.ts";
import {
  accountId,
  beginTurn,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  newAccountLease,
  newWorker,
  type TestStore,
  textOf,
} from "../test-store.ts";

const conflict = (error: unknown) => isGatewayError(error, "conflict");
const messageId = (value: string) => brandAs<MessageId>(value);

function partOf(more: Partial<OutboxPart> = {}): OutboxPart {
  return { markdown: "text", attachments: [], state: "pending", attempts: 0, unknown: 0, ...more };
}

function sent(id: number, name: string, more: Partial<OutboxPart> = {}): OutboxUpdate {
  return { id, state: "sent", parts: [partOf({ state: "sent", attempts: 1, messageId: messageId(name), ...more })] };
}

const keys = (rows: readonly OutboxRow[]) => rows.map(({ deliveryKey }) => deliveryKey);

describe("the outbox", () => {
  let test: TestStore;
  let lease: AccountLease;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());
  beforeEach(async () => {
    lease = await newAccountLease(test.store);
    for (const row of await test.store.outbox.due(lease, [], 1000)) {
      await test.store.outbox.update(lease, { id: row.id, state: "failed", parts: [] });
    }
  });

  it("gives rows back as they were written, oldest first, and a known key once", async () => {
    const { outbox } = test.store;
    const text = textOf("whole", "a", {
      replyTo: messageId("m1"),
      attachments: [{ mimeType: "image/png", name: "a.png", ref: brandAs("ref") }],
    });
    await outbox.add([text, textOf("second", "b")]);
    await outbox.add([textOf("third", "a"), textOf("whole", "b")]);
    const due = await outbox.due(lease, [], 10);
    assert.deepEqual(keys(due), ["whole", "second", "third"]);
    const { id, committedAt, accountId: owner, ...rest } = due[0]!;
    assert.deepEqual(rest, text);
    assert.equal(owner, accountId);
    assert.ok(committedAt <= systemClock.elapsed(), String(committedAt));
    assert.ok(Number.isInteger(id));
    assert.deepEqual(keys(await outbox.due(lease, [], 2)), ["whole", "second"]);
  });

  it("knows the language of whoever has written last in a direct conversation", async () => {
    const { inbox, outbox } = test.store;
    const heard = async (id: string, place: string, more: Partial<Sender>, kind: "direct" | "group" = "direct") => {
      const { event, ...entry } = entryOf(id, place);
      const conversation = { ...event.conversation, kind };
      await inbox.record({ ...entry, event: { ...event, conversation, sender: { ...event.sender, ...more } } });
      return textOf(`to-${id}`, place, { conversation });
    };
    const texts = [
      await heard("l1", "spoken", { language: "de" }),
      await heard("l2", "spoken", { language: "pt-BR" }),
      await heard("l3", "silent", {}),
      await heard("l4", "loud", { language: "de" }, "group"),
      await heard("l5", "bot", { language: "de", role: "bot" }),
    ];
    await outbox.add([...texts, textOf("to-nobody", "unheard")]);
    assert.deepEqual(
      (await outbox.due(lease, [], 10)).map(({ language }) => language),
      ["pt-BR", "pt-BR", undefined, undefined, undefined, undefined],
    );
  });

  it("lets nothing overtake in a lane, and no lane wait for another", async () => {
    const { outbox } = test.store;
    await outbox.add(["a1", "b1", "a2", "b2", "c1"].map((key) => textOf(`lane-${key}`, key.slice(0, 1))));
    const [a1, b1] = await outbox.due(lease, [], 10);
    assert.deepEqual(keys(await outbox.due(lease, [a1!.id], 10)), ["lane-b1", "lane-b2", "lane-c1"]);
    await outbox.update(lease, { id: b1!.id, state: "pending", parts: [partOf()], retryInMs: 60_000, error: "slow" });
    assert.deepEqual(keys(await outbox.due(lease, [a1!.id], 10)), ["lane-c1"]);
    await outbox.update(lease, sent(a1!.id, "1"));
    assert.deepEqual(keys(await outbox.due(lease, [], 10)), ["lane-a2", "lane-c1"]);
    await outbox.update(lease, { id: b1!.id, state: "failed", parts: [partOf({ state: "failed" })], error: "gone" });
    assert.deepEqual(keys(await outbox.due(lease, [], 10)), ["lane-a2", "lane-b2", "lane-c1"]);
  });

  it("finds what is due behind lanes with a long backlog, and the lane itself once nothing blocks it", async () => {
    const { outbox } = test.store;
    const backlog = Array.from({ length: 1_200 }, (_, n) => textOf(`backlog-${n}`, `backlog-${n % 2}`));
    await outbox.add([...backlog, ...["one", "two"].map((key) => textOf(`behind-${key}`, key))]);
    const [first, second] = await outbox.due(lease, [], 2);
    const retry = { state: "pending", parts: [partOf()], retryInMs: 60_000, error: "slow" } as const;
    await outbox.update(lease, { id: first!.id, ...retry });
    assert.deepEqual(keys(await outbox.due(lease, [second!.id], 10)), ["behind-one", "behind-two"]);
    assert.deepEqual(keys(await outbox.due(lease, [], 2)), ["backlog-1", "backlog-3"]);
    await outbox.update(lease, { id: first!.id, state: "failed", parts: [partOf({ state: "failed" })], error: "gone" });
    assert.deepEqual(keys(await outbox.due(lease, [], 3)), ["backlog-1", "backlog-2", "backlog-3"]);
    for (;;) {
      const due = await outbox.due(lease, [], 500);
      if (due.length === 0) break;
      await Promise.all(due.map(({ id }) => outbox.update(lease, sent(id, `sent-${id}`))));
    }
  });

  it("keeps the last of several updates of one row, although they share a batch", async () => {
    const { outbox } = test.store;
    await outbox.add([textOf("last", "last")]);
    const [row] = await outbox.due(lease, [], 1);
    const { id } = row!;
    await Promise.all([
      outbox.update(lease, { id, state: "pending", parts: [partOf({ state: "sending" })] }),
      outbox.update(lease, { id, state: "pending", parts: [partOf({ state: "sending", attempts: 1 })] }),
      outbox.update(lease, { id, state: "pending", parts: [partOf({ state: "sending", attempts: 2 })] }),
    ]);
    const [found] = await outbox.due(lease, [], 1);
    assert.equal(found?.parts?.[0]?.attempts, 2);
  });

  it("refuses the gateway that lost the account, and only that one in a shared batch", async () => {
    const { accounts, outbox } = test.store;
    await outbox.add([textOf("fenced", "fenced")]);
    const [row] = await outbox.due(lease, [], 1);
    const { id } = row!;
    await accounts.release(lease);
    await assert.rejects(outbox.update(lease, sent(id, "released")), conflict);
    const newer = await newAccountLease(test.store, "gateway-2");
    assert.equal(newer.fence, lease.fence + 1);
    await assert.rejects(outbox.due(lease, [], 1), conflict);
    await assert.rejects(outbox.savePreview(lease, brandAs("turn"), { state: "posting" }), conflict);
    assert.deepEqual(keys(await outbox.due(newer, [], 1)), ["fenced"]);
    const answers = await Promise.allSettled([
      outbox.update(newer, { id, state: "pending", parts: [partOf()] }),
      outbox.update(newer, { id, state: "pending", parts: [partOf({ attempts: 1 })] }),
      outbox.update(lease, sent(id, "stale")),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected"],
    );
    assert.equal((await outbox.due(newer, [], 1))[0]?.parts?.[0]?.attempts, 1);
    await accounts.release(newer);
  });

  it("tells for many leases at once which accounts have something due, and which are lost", async () => {
    const { accounts, outbox } = test.store;
    const lost = { accountId: brandAs<AccountId>("lost"), fence: 7 };
    const take = (name: string) =>
      accounts.acquire(brandAs<AccountId>(name), "loopback", brandAs<ProcessId>("gateway-1"), 60_000);
    const quiet = await take("quiet");
    const leases = [lease, quiet!, lost];
    assert.deepEqual(await outbox.toRead(leases), ["lost"]);
    await outbox.add([textOf("look", "look")]);
    assert.deepEqual((await outbox.toRead(leases)).toSorted(), [accountId, "lost"].toSorted());
    const [row] = await outbox.due(lease, [], 1);
    await outbox.update(lease, { id: row!.id, state: "pending", parts: [partOf()], retryInMs: 60_000 });
    assert.deepEqual(await outbox.toRead(leases), ["lost"]);
    assert.deepEqual(await outbox.toRead([]), []);
  });

  it("remembers the preview of a turn and hands it out with the reply", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("preview", "preview"));
    const turn = await beginTurn(store, "preview", await newWorker(store));
    await store.outbox.savePreview(lease, turn.start.turnId, { state: "posting" });
    await completeTurn(store, turn);
    assert.deepEqual((await store.outbox.due(lease, [], 1))[0]?.preview, { state: "posting" });
    await store.outbox.savePreview(lease, turn.start.turnId, { state: "posted", messageId: messageId("p-1") });
    assert.deepEqual((await store.outbox.due(lease, [], 1))[0]?.preview, { state: "posted", messageId: "p-1" });
    const { conversationId } = conversationOf("preview");
    assert.equal(await store.operations.sentByUs(accountId, conversationId, messageId("p-1")), true);
  });

  it("says who asked for a reply, as the turn does", async () => {
    const { store } = test;
    const ofTurn = entryOf("asked-1", "asked");
    await store.inbox.record(ofTurn);
    const turn = await beginTurn(store, "asked", await newWorker(store));
    await completeTurn(store, turn);
    await store.outbox.add([textOf("asked-notice", "asked")]);
    const [reply, notice] = await store.outbox.due(lease, [], 2);
    const { route, askers } = (await store.turns.asked(turn.start.turnId))!;
    assert.deepEqual(reply?.asked, { route, askers });
    assert.deepEqual(askers, [{ conversation: ofTurn.event.conversation, sender: ofTurn.event.sender }]);
    assert.equal(notice?.asked, undefined);
  });

  it("hands out a reply to an event that this release can't read, without saying who asked", async () => {
    const { store, url } = test;
    await store.inbox.record(entryOf("odd-1", "odd"));
    await completeTurn(store, await beginTurn(store, "odd", await newWorker(store)));
    const client = new pg.Client(url);
    await client.connect();
    await client.query("update talaria.inbox set body = body - 'sender' where event_id = 'odd-1'");
    await client.end();
    const [reply] = await store.outbox.due(lease, [], 1);
    assert.equal(reply?.kind, "reply");
    assert.equal(reply?.asked, undefined);
  });

  it("tells the previews of turns that were aborted without a text, until they are forgotten", async () => {
    const { outbox, inbox, turns } = test.store;
    const shown = new Map<string, TurnId>();
    for (const name of ["running", "aborted", "told", "unposted"]) {
      await inbox.record(entryOf(`left-${name}`, `left-${name}`));
      const turn = await beginTurn(test.store, `left-${name}`, await newWorker(test.store));
      const { turnId } = turn.start;
      const id = name === "unposted" ? {} : { messageId: messageId(`left-${name}`) };
      await outbox.savePreview(lease, turnId, { state: name === "unposted" ? "posting" : "posted", ...id });
      const text = textOf(`left-${name}:reply`, `left-${name}`, { kind: "reply", turnId });
      if (name !== "running")
        await turns.commit(turn.lease, {
          turnId,
          outcome: "aborted",
          entries: [],
          outbox: name === "told" ? [text] : [],
        });
      shown.set(name, turnId);
    }
    const turnId = shown.get("aborted")!;
    const conversation = conversationOf("left-aborted");
    const abandoned = [{ turnId, conversation, messageId: messageId("left-aborted") }];
    assert.deepEqual(await outbox.abandonedPreviews(accountId), abandoned);
    assert.deepEqual(await outbox.abandonedPreviews(accountId, [...shown.values()]), abandoned);
    assert.deepEqual(await outbox.abandonedPreviews(accountId, [shown.get("told")!]), []);
    assert.deepEqual(await outbox.preview(turnId), { state: "posted", messageId: "left-aborted" });
    assert.deepEqual(await outbox.preview(shown.get("unposted")!), { state: "posting" });
    await outbox.forgetPreview({ ...lease, fence: lease.fence - 1 }, turnId);
    assert.deepEqual(await outbox.preview(turnId), { state: "posted", messageId: "left-aborted" });
    await outbox.forgetPreview(lease, turnId);
    assert.deepEqual([await outbox.abandonedPreviews(accountId), await outbox.preview(turnId)], [[], undefined]);
  });

  it("knows the messages it sent, and counts those that may be visible twice for ever", async () => {
    const { outbox, operations } = test.store;
    await outbox.add([textOf("twice", "twice")]);
    const before = (await operations.backlog()).possibleDuplicates;
    const [row] = await outbox.due(lease, [], 1);
    for (let repeat = 0; repeat < 2; repeat++) await outbox.update(lease, sent(row!.id, "tw-1", { unknown: 1 }));
    assert.equal((await operations.backlog()).possibleDuplicates, before + 1);
    const { conversationId } = conversationOf("twice");
    assert.equal(await operations.sentByUs(accountId, conversationId, messageId("tw-1")), true);
    assert.equal(await operations.sentByUs(accountId, conversationOf("b").conversationId, messageId("tw-1")), false);
  });

  it("is nobody's until an account has been taken", async () => {
    const unknown = { accountId: brandAs<AccountId>("other"), fence: 1 };
    await assert.rejects(test.store.outbox.due(unknown, [], 1), conflict);
  });
});

describe("account leases", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());
  const take = (name: string, holder: string, ttlMs: number) =>
    test.store.accounts.acquire(brandAs<AccountId>(name), "loopback", brandAs<ProcessId>(holder), ttlMs);

  it("go to one of many gateways that ask at once", async () => {
    const stores = [test.store, test.open(), test.open()];
    const leases = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        stores[index % 3]!.accounts.acquire(brandAs<AccountId>("many"), "web", brandAs<ProcessId>(`g${index}`), 60_000),
      ),
    );
    assert.equal(leases.filter((lease) => lease !== undefined).length, 1);
  });

  it("are renewed together, end with their time, and grow a fence for the next holder", async () => {
    const { accounts } = test.store;
    assert.deepEqual(await take("x", "one", 60_000), { accountId: "x", fence: 1 });
    assert.deepEqual(await take("y", "one", 40), { accountId: "y", fence: 1 });
    assert.equal(await take("x", "two", 60_000), undefined);
    assert.deepEqual(await take("x", "one", 60_000), { accountId: "x", fence: 1 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.deepEqual(await take("y", "two", 60_000), { accountId: "y", fence: 2 });
    assert.deepEqual(await accounts.renew(brandAs<ProcessId>("one"), 60_000), [{ accountId: "x", fence: 1 }]);
    await accounts.release({ accountId: brandAs<AccountId>("y"), fence: 1 });
    assert.equal(await take("y", "three", 60_000), undefined);
    await accounts.release({ accountId: brandAs<AccountId>("x"), fence: 1 });
    assert.deepEqual(await take("x", "two", 60_000), { accountId: "x", fence: 2 });
  });

  it("let only their holder report", async () => {
    const { accounts } = test.store;
    const lease = await take("r", "one", 60_000);
    await accounts.report(lease!, { status: "connected" });
    await accounts.report({ ...lease!, fence: 0 }, { status: "stale" });
    const row = (await accounts.list()).find((account) => account.accountId === "r");
    assert.deepEqual([row?.holder, row?.connection, row?.platform], ["one", { status: "connected" }, "loopback"]);
  });

  it("keep what their holder reported, and show a new holder nothing of it", async () => {
    const { accounts } = test.store;
    const stateOf = async () => (await accounts.list()).find((account) => account.accountId === "former")?.connection;
    const lease = await take("former", "one", 60_000);
    await accounts.report(lease!, { status: "connected" });
    await take("former", "one", 60_000);
    assert.deepEqual(await stateOf(), { status: "connected" });
    await accounts.release(lease!);
    await take("former", "two", 60_000);
    assert.deepEqual(await stateOf(), {});
  });

  it("show what waits for an account that nobody holds", async () => {
    const { accounts, outbox, operations } = test.store;
    await accounts.release((await take("idle", "one", 60_000))!);
    const conversation = { ...conversationOf("idle"), accountId: brandAs<AccountId>("idle") };
    await outbox.add(["idle-1", "idle-2"].map((key) => textOf(key, "idle", { conversation })));
    const row = (await operations.accounts()).find(({ accountId: id }) => id === "idle");
    assert.deepEqual([row?.holder, row?.pendingDeliveries], [undefined, 2]);
  });
});
